"""Checks a token as docs/timetracker-dialect.md shows: KEYS ISSUER on the command line, the token on standard input.

Prints the claims as JSON; ends with 1 and the reason when the token is not to be believed.
"""

import json
import sys

import jwt


def who(token, keys, issuer):
    if jwt.get_unverified_header(token).get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("this is no access token")
    key = jwt.PyJWKClient(keys, lifespan=300).get_signing_key_from_jwt(token)
    return jwt.decode(token, key.key, algorithms=["ES256", "EdDSA"], issuer=issuer, audience=issuer,
                      options={"require": ["exp", "sub", "jti"]})


try:
    print(json.dumps(who(sys.stdin.read().strip(), sys.argv[1], sys.argv[2])))
except (jwt.PyJWTError, jwt.PyJWKClientError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
