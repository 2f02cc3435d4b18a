-- Prints what wrk measured as one line of JSON; sets the method, the headers and the body from the environment.
wrk.method = os.getenv("BENCH_METHOD") or "GET"
wrk.body = os.getenv("BENCH_BODY")
if os.getenv("BENCH_TOKEN") then wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN") end
if os.getenv("BENCH_AUTHORIZATION") then wrk.headers["Authorization"] = os.getenv("BENCH_AUTHORIZATION") end
if os.getenv("BENCH_COOKIE") then wrk.headers["Cookie"] = os.getenv("BENCH_COOKIE") end
for name, value in (os.getenv("BENCH_FIELDS") or ""):gmatch("([^\n:]+): ([^\n]+)") do wrk.headers[name] = value end
if wrk.body then wrk.headers["Content-Type"] = "application/x-www-form-urlencoded" end

-- Every thread begins elsewhere in the file of tokens, so that together they go through all of them.
local pause, path, threads = os.getenv("BENCH_PAUSE"), os.getenv("BENCH_TOKENS"), 0
if pause then
    function delay() return tonumber(pause) end
end
if path then
    function setup(thread)
        thread:set("number", threads)
        threads = threads + 1
    end
    function init()
        requests, at = {}, 0
        for token in io.lines(path) do
            local bound, proof = token:match("^(%S+) (%S+)$")
            local fields = { Authorization = bound and "DPoP " .. bound or "Bearer " .. token, DPoP = proof }
            for name, value in pairs(wrk.headers) do fields[name] = fields[name] or value end
            requests[#requests + 1] = wrk.format(nil, nil, fields)
        end
        at = math.floor(#requests / 2) * number
    end
    function request()
        at = at % #requests + 1
        return requests[at]
    end
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        'REPORT {"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "worst": %f, "failures": %d, "timeouts": %d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        latency.max / 1e3, errors.connect + errors.read + errors.write + errors.status, errors.timeout))
end
