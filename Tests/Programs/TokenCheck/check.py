"""Checks tokens with the code that a page of the documentation shows.

PAGE KEYS ISSUER [RESOURCE] on the command line, one token a line on standard input. KEYS is the address of the keys; the other
two replace the constants of the page. Prints the claims of each token as a line of JSON, or null with the reason on standard
error. Ends with 1 when a token is not accepted.
"""

import json
import re
import sys

import jwt

page, keys, *constants = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    (code,) = re.findall(r"^```python\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
for name, value in zip(["ISSUER", "RESOURCE"], constants):
    code = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", code, count=1, flags=re.MULTILINE)
code, replaced = re.subn(r"PyJWKClient\([^,]*,", f"PyJWKClient({keys!r},", code)
assert replaced == 1, "The page names its keys in another way."
shown = {}
exec(code, shown)

status = 0
for token in sys.stdin.read().splitlines():
    try:
        print(json.dumps(shown["who"](token)))
    except (jwt.PyJWTError, jwt.PyJWKClientError) as error:
        status = 1
        print("null")
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
sys.exit(status)
