"""Completes the description of Immich's API for a tester: described_errors.py FROM TO ASSET USER.

The description says nothing of refusals, nor that files come with types of their own and that one route sends the browser
on. Here every operation may refuse with an envelope {"message", "errors"}, and nothing else is let through. ASSET and USER are ids that there are, so that the tester comes
past the question whether there is such a one.
"""

import json
import sys

REFUSAL = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "message": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "message", "code"],
                "properties": {
                    "path": {"type": "array", "items": {"type": "string"}},
                    "message": {"type": "string"},
                    "code": {"type": "string"},
                },
            },
        },
    },
    "additionalProperties": False,
}

with open(sys.argv[1]) as file:
    description = json.load(file)
for path, methods in description["paths"].items():
    for operation in methods.values():
        answers = operation["responses"]
        answers["4XX"] = {"description": "", "content": {"application/json": {"schema": REFUSAL}}}
        if path.startswith("/assets/{id}/"):
            answers["200"].pop("content")
    if path == "/oauth/mobile-redirect":
        methods["get"]["responses"] = {"307": {"description": ""}, "4XX": methods["get"]["responses"]["4XX"]}
for path in ("/assets/{id}", "/assets/{id}/original", "/assets/{id}/thumbnail", "/assets/{id}/video/playback"):
    for parameter in description["paths"][path]["get"]["parameters"]:
        if parameter["name"] == "id":
            parameter["example"] = sys.argv[3]
schemas = description["components"]["schemas"]
schemas["DownloadArchiveDto"]["example"] = {"assetIds": [sys.argv[3]]}
schemas["DownloadInfoDto"]["example"] = {"userId": sys.argv[4]}
schemas["UserUpdateMeDto"]["example"] = {"name": "Ada Lovelace"}
with open(sys.argv[2], "w") as file:
    json.dump(description, file)
