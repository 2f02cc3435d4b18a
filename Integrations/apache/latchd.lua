-- Asks latchd whether a request may go on: LuaHookAccessChecker latchd.lua latchd
--
-- Apache has no forward authentication of its own. This script sends the request's header fields, method and address to latchd.
-- If the request may go on, it adds latchd's X-Auth fields; if not, it sends latchd's answer. If the script fails, Apache
-- answers 500, so no request gets through.

local http = require "socket.http"
local socket = require "socket"

local verify = os.getenv("LATCHD_VERIFY") or "http://127.0.0.1:2283/auth/verify"

local handed_on = { "X-Auth-User", "X-Auth-Email", "X-Auth-Name", "X-Auth-Groups", "X-Auth-Session" }

-- Fields about the connection or the body, and those that this script sets.
local own = {
    ["connection"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true, ["keep-alive"] = true,
    ["proxy-connection"] = true, ["te"] = true, ["trailer"] = true, ["transfer-encoding"] = true, ["upgrade"] = true,
    ["x-forwarded-for"] = true, ["x-forwarded-host"] = true, ["x-forwarded-proto"] = true,
    ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true,
}

-- Other fields that a backend may trust.
local trusted = {
    ["remote-user"] = true, ["remote-email"] = true, ["remote-groups"] = true, ["remote-name"] = true,
    ["x-remote-user"] = true,
    -- What the client claims about its own address.
    ["forwarded"] = true, ["x-real-ip"] = true,
}

-- Some backends treat other characters in a field's name as hyphens.
local function is_from_outside(name)
    local plain = name:lower():gsub("[^a-z0-9]", "-")
    return plain:find("^x%-auth") or plain:find("^x%-forwarded") or plain:find("^x%-webauth")
        or plain:find("^x%-original%-") or plain:find("^x%-rewrite%-") or trusted[plain]
end

local function is_session(cookie)
    local name = cookie:match("^%s*([^=%s]*)")
    return name:gsub("^__Host%-", ""):gsub("^__Secure%-", "") == "latchd_session"
end

-- The cookies without latchd's session cookie.
local function without_session(cookies)
    local kept = {}
    for cookie in cookies:gmatch("[^;]+") do
        if not is_session(cookie) then kept[#kept + 1] = cookie:match("^%s*(.-)%s*$") end
    end
    local text = table.concat(kept, "; ")
    -- Apache joins several Cookie fields with commas. If a session cookie may follow one, the backend gets no cookie at all.
    for cookie in text:gmatch("[^;,]+") do
        if is_session(cookie) then return nil end
    end
    return text ~= "" and text or nil
end

local function names(fields)
    local all = {}
    for name in pairs(fields) do all[#all + 1] = name end
    return all
end

local function refuse(r, status, fields, body)
    for name, field in pairs { ["www-authenticate"] = "WWW-Authenticate", location = "Location", ["retry-after"] = "Retry-After",
        ["dpop-nonce"] = "DPoP-Nonce" } do
        if fields[name] then r.err_headers_out[field] = fields[name] end
    end
    r.err_headers_out["Cache-Control"] = "no-store"
    -- Any other status would let the request go on.
    if status < 300 or status > 599 then status = 503 end
    -- latchd's plain text. It begins with a letter; Apache would read a text with a slash as an address.
    if body and body:find("^%a") then r:custom_response(status, body) end
    return status
end

function latchd(r)
    local scheme = r.is_https and "https" or "http"
    -- Remove the client's fields that look like latchd's or Apache's.
    for _, name in ipairs(names(r:headers_in_table())) do
        if is_from_outside(name) then r.headers_in[name] = nil end
    end
    -- WebSocket is the only protocol to which a connection may change. With any other, the backend would get all further requests
    -- on it past latchd.
    local is_websocket = (r.headers_in["Upgrade"] or ""):lower() == "websocket"
    r.headers_in["Upgrade"] = is_websocket and "websocket" or nil
    -- Apache removes each field that Connection names, also the fields that this script sets. Apache itself decides whether to close
    -- the connection.
    local options = {}
    if (r.headers_in["Connection"] or ""):lower():find("%f[%w]close%f[%W]") then options[1] = "close" end
    if is_websocket then options[#options + 1] = "Upgrade" end
    r.headers_in["Connection"] = #options > 0 and table.concat(options, ", ") or nil
    local address = r.useragent_ip
    local host = r.hostname
    -- The sign-in page, and the metadata by which apps find it.
    if r.uri:find("^/latch/") or r.uri == "/.well-known/oauth-protected-resource"
        or r.uri:find("^/%.well%-known/oauth%-protected%-resource/") then
        r.headers_in["X-Forwarded-For"] = address
        r.headers_in["X-Forwarded-Host"] = host
        r.headers_in["X-Forwarded-Proto"] = scheme
        return apache2.OK
    end

    local asked = {}
    for name, value in pairs(r:headers_in_table()) do
        if not own[name:lower()] then asked[name:lower()] = value end
    end
    asked["x-forwarded-for"] = address
    -- Without the port that the client sent: otherwise the client could choose its rule by it.
    asked["x-forwarded-host"] = host
    asked["x-forwarded-proto"] = scheme
    asked["x-forwarded-method"] = r.method
    asked["x-forwarded-uri"] = r.unparsed_uri
    local body = {}
    local done, status, fields = http.request {
        url = verify, headers = asked, redirect = false,
        create = function()
            local connection = socket.tcp()
            connection:settimeout(5)
            return connection
        end,
        sink = function(part)
            if part then body[#body + 1] = part end
            return 1
        end,
    }
    if not done then return refuse(r, 503, {}) end
    if status ~= 200 then return refuse(r, status, fields, table.concat(body)) end

    for _, name in ipairs(handed_on) do
        local value = fields[name:lower()]
        if value then r.headers_in[name] = value end
    end
    r.headers_in["X-Forwarded-For"] = address
    r.headers_in["X-Forwarded-Host"] = host
    r.headers_in["X-Forwarded-Proto"] = scheme
    -- A backend gets no credentials of a session: neither the token of an app, nor what latchd says is to be removed, nor the
    -- cookie of a browser.
    local authorization = r.headers_in["Authorization"]
    if authorization and (fields["x-auth-credential"] or authorization:lower():find("^bearer%f[%s\0]")
        or authorization:lower():find("^dpop%f[%s\0]")) then
        r.headers_in["Authorization"] = nil
    end
    local cookies = r.headers_in["Cookie"]
    if cookies then r.headers_in["Cookie"] = without_session(cookies) end
    return apache2.OK
end
