-- Asks latchd who sent a request: http-request lua.latchd
--
-- HAProxy has no forward authentication of its own. This sends the request's header fields, method and address to latchd,
-- puts latchd's X-Auth fields into a request that is allowed, and answers a refused one as latchd did.

local verify = os.getenv("LATCHD_VERIFY") or "http://127.0.0.1:2283/auth/verify"

local handed_on = { "x-auth-user", "x-auth-email", "x-auth-name", "x-auth-groups", "x-auth-session" }

-- Fields about the connection or the body, and those that name method and address.
local own = {
    ["connection"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true, ["keep-alive"] = true,
    ["proxy-connection"] = true, ["te"] = true, ["trailer"] = true, ["transfer-encoding"] = true, ["upgrade"] = true,
    ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true,
}

-- HAProxy 2.6 crashes when its HTTP client gets more fields than tune.http.maxhdr (101 by default) minus its own.
local maximum_fields = 64

-- The fields, or nothing when there are more than can be passed on.
local function told(txn)
    local headers = {}
    local count = 0
    for name, values in pairs(txn.http:req_get_headers()) do
        if not own[name] then
            headers[name] = {}
            -- HAProxy counts the values of a field from 0.
            for place = 0, #values do
                if values[place] then
                    table.insert(headers[name], values[place])
                    count = count + 1
                end
            end
        end
    end
    if count > maximum_fields then return nil end
    headers["x-forwarded-method"] = { txn.f:method() }
    headers["x-forwarded-uri"] = { txn.f:pathq() }
    return headers
end

local function refuse(txn, status, headers, body)
    local reply = txn:reply { status = status }
    for _, name in ipairs { "www-authenticate", "location", "content-type", "cache-control", "retry-after", "dpop-nonce" } do
        for _, value in pairs(headers[name] or {}) do reply:add_header(name, value) end
    end
    if body then reply:set_body(body) end
    txn:done(reply)
end

core.register_action("latchd", { "http-req" }, function(txn)
    local headers = told(txn)
    if not headers then return refuse(txn, 431, {}) end
    local answer = core.httpclient():get { url = verify, headers = headers, timeout = 5000 }
    -- Without an answer HAProxy responds with 503 or 504 itself.
    if not answer or answer.status ~= 200 then
        return refuse(txn, answer and answer.status or 503, answer and answer.headers or {}, answer and answer.body)
    end
    for _, name in ipairs(handed_on) do
        txn.http:req_del_header(name)
        for _, value in pairs(answer.headers[name] or {}) do txn.http:req_set_header(name, value) end
    end
    -- The backend gets neither a person's key nor a token after other credentials.
    if answer.headers["x-auth-credential"] then txn.http:req_del_header("authorization") end
    -- HAProxy continues after an error of a script; haproxy.cfg checks this value.
    txn:set_var("txn.latchd", true)
end, 0)
