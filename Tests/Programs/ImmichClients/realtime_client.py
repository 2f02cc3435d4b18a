"""Opens Immich's real-time connection with python-socketio: realtime_client.py URL TOKEN.

Writes one line for each event, and ends when the server ends the connection.
"""

import asyncio
import json
import sys

import socketio


async def main(url: str, token: str) -> None:
    client = socketio.AsyncClient(reconnection=False)

    @client.on("*")
    async def event(name: str, *arguments: object) -> None:
        print(name, json.dumps(arguments), flush=True)

    await client.connect(
        url,
        headers={"x-immich-user-token": token},
        socketio_path="/api/socket.io",
        transports=["websocket"],
    )
    print("connected", flush=True)
    await client.wait()
    print("disconnected", flush=True)


asyncio.run(main(*sys.argv[1:]))
