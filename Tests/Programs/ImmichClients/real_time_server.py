"""An Immich server with one person, whose real-time connections follow a script: real_time_server.py STEP…

Each STEP is for one connection, the last one for all further connections:
idle      waits
events    sends Immich's events, then waits
garbage   sends text that is no packet
huge      sends a message of 2 MiB
drop      closes the connection before it is confirmed
refuse    sends the error 'unauthorized' and disconnects; the session is still valid
revoke    ends the session and says so
expire    ends the session, sends the error 'unauthorized' and disconnects
upload    adds a picture and sends 20 events about it, then waits
Prints the port, and a line for each search with its earliest time of a change.
"""

import asyncio
import sys

import socketio
from aiohttp import web
from engineio import packet

STEPS = sys.argv[1:]
tokens = {"the-token-of-the-only-session"}
count = 0
server = socketio.AsyncServer(async_mode="aiohttp", transports=["websocket"])


class RawPacket(packet.Packet):
    def __init__(self, text):
        super().__init__(packet.MESSAGE, "")
        self.text = text

    def encode(self, b64=False):
        return self.text


def is_signed_in(headers):
    return headers.get("Authorization", "").removeprefix("Bearer ") in tokens


async def send_raw(sid, text):
    await server.eio.send_packet(server.manager.eio_sid_from_sid(sid, "/"), RawPacket(text))


async def refuse(sid):
    await server.emit("error", "unauthorized", to=sid)
    await server.disconnect(sid)


async def act(sid, step):
    if step == "events":
        await server.emit("on_server_version", {"major": 3, "minor": 1, "patch": 0}, to=sid)
        await server.emit("AssetUploadReadyV2", {"asset": {"id": "asset-1", "type": "IMAGE"}, "exif": {}}, to=sid)
        await server.emit("on_asset_trash", ["asset-1", "asset-2"], to=sid)
        await server.emit("on_person_thumbnail", "person-1", to=sid)
    elif step == "upload":
        pictures.append(asset(2))
        for _ in range(20):
            await server.emit("AssetUploadReadyV2", {"asset": pictures[-1], "exif": {}}, to=sid)
    elif step == "garbage":
        await send_raw(sid, "z" * 100)
    elif step == "huge":
        await send_raw(sid, "4" + "z" * (2 << 20))
    elif step == "refuse":
        await refuse(sid)
    elif step == "revoke":
        tokens.clear()
        await server.emit("on_session_delete", "session-1", to=sid)
    elif step == "expire":
        tokens.clear()
        await refuse(sid)


@server.event
async def connect(sid, environ):
    global count
    step = STEPS[min(count, len(STEPS) - 1)]
    count += 1
    if step == "drop":
        await server.eio.disconnect(server.manager.eio_sid_from_sid(sid, "/"))
        return
    # After the confirmation, as Immich does it.
    asyncio.get_running_loop().call_later(0.05, lambda: asyncio.ensure_future(act(sid, step)))


def answer(value, status=200):
    return web.json_response(value, status=status)


PERSON = {"id": "person-0", "email": "ada@example.org", "name": "Ada", "shouldChangePassword": False}


async def me(request):
    if not is_signed_in(request.headers):
        return answer({"message": "Invalid user token", "error": "Unauthorized", "statusCode": 401}, 401)
    return answer(PERSON)


def asset(number):
    time = f"2024-07-0{number}T13:20:10.000Z"
    return {"id": f"5f3e0000-0000-4000-8000-00000000000{number}", "type": "IMAGE", "visibility": "timeline",
            "originalFileName": f"IMG_000{number}.JPG", "checksum": None, "fileCreatedAt": time, "localDateTime": time,
            "isTrashed": False, "isFavorite": False, "libraryId": None, "livePhotoVideoId": None,
            "exifInfo": {"fileSizeInByte": 4}}


pictures = [asset(1)]


async def search(request):
    query = await request.json()
    if query.get("visibility") == "timeline":
        print("search", query.get("updatedAfter"), flush=True)
    items = pictures if query.get("visibility") == "timeline" else []
    items = [item for item in items if item["fileCreatedAt"] >= query.get("takenAfter", "")]
    return answer({"assets": {"items": items, "nextPage": None}})


async def original(_):
    return web.Response(body=b"JPEG", content_type="image/jpeg")


async def version(_):
    return answer({"major": 3, "minor": 1, "patch": 0})


async def login(_):
    token = next(iter(tokens))
    return answer({"accessToken": token, "userId": PERSON["id"], "userEmail": PERSON["email"], "name": "Ada",
                   "isAdmin": False, "profileImagePath": "", "shouldChangePassword": False}, 201)


async def main():
    app = web.Application()
    server.attach(app, socketio_path="api/socket.io")
    app.router.add_get("/.well-known/immich", lambda _: asyncio.sleep(0, answer({"api": {"endpoint": "/api"}})))
    app.router.add_get("/api/server/ping", lambda _: asyncio.sleep(0, answer({"res": "pong"})))
    app.router.add_get("/api/users/me", me)
    app.router.add_post("/api/auth/login", login)
    app.router.add_get("/api/server/version", version)
    app.router.add_post("/api/search/metadata", search)
    app.router.add_get("/api/assets/{id}/original", original)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print("port", site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
