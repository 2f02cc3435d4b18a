"""Uses a server as Home Assistant does, with aioimmich: immich_client.py URL EMAIL PASSWORD FOLDER.

Signs in, lists everything, fetches each photograph and film, and compares it with the file in FOLDER, where the server has it
from. Says how many there were; anything that is not as it must be ends it with a trace.
"""

import asyncio
import base64
import hashlib
import pathlib
import sys
import urllib.parse

import aiohttp
from aioimmich import Immich
from aioimmich.exceptions import ImmichError


async def token(session, url, email, password):
    async with session.post(url + "/api/auth/login", json={"email": email, "password": password}) as answer:
        assert answer.status == 201, answer.status
        return (await answer.json())["accessToken"]


async def fetch(immich, asset_id):
    return await immich.api.async_do_request(f"assets/{asset_id}/original", application="octet-stream")


async def compare(immich, asset, folder):
    content = await fetch(immich, asset.asset_id)
    assert content == (folder / asset.original_path).read_bytes(), asset.original_path
    assert base64.b64encode(hashlib.sha1(content).digest()).decode() == asset.checksum, asset.original_path
    assert asset.original_path.endswith(asset.original_file_name)
    return content


async def main(url, email, password, folder):
    place = urllib.parse.urlsplit(url)
    async with aiohttp.ClientSession() as session:
        immich = Immich(session, await token(session, url, email, password), place.hostname, place.port, False)
        await immich.async_setup()
        assert immich.api.version.major == 3
        me = await immich.users.async_get_my_user()
        assert me.email == email
        assert (await immich.server.async_get_about_info()).version.startswith("v3.")
        assert (await immich.server.async_get_storage_info()).disk_size_raw > 0
        await immich.server.async_get_version_check()

        assets = await immich.search.async_get_all(page_size=3)
        assert len({asset.asset_id for asset in assets}) == len(assets) > 3
        films = 0
        for asset in assets:
            await compare(immich, asset, folder)
            if asset.live_photo_video_id:
                film = await fetch(immich, asset.live_photo_video_id)
                assert film == (folder / asset.original_path).with_suffix(".MOV").read_bytes()
                films += 1
            if asset.asset_type == "VIDEO":
                stream = await immich.assets.async_play_video_stream(asset.asset_id)
                assert await stream.read() == (folder / asset.original_path).read_bytes()
            else:
                assert await immich.assets.async_view_asset(asset.asset_id, "preview")
        assert films == 2

        albums = await immich.albums.async_get_all_albums()
        for album in albums:
            assert (await immich.albums.async_get_album_info(album.album_id)).album_name == album.album_name
            assert len(await immich.search.async_get_all_by_album_ids([album.album_id])) == album.asset_count > 0
        assert await immich.search.async_get_all_favorites() == []
        assert await immich.tags.async_get_all_tags() == [] == await immich.people.async_get_all_people()
        if me.is_admin:
            assert (await immich.server.async_get_server_statistics()).photos > 0
        try:
            await fetch(immich, me.user_id)
            raise AssertionError("an asset that is not there was fetched")
        except ImmichError as refusal:
            assert "Not Found" in str(refusal), refusal
        print(f"compared {len(assets)} assets in {len(albums)} albums")


asyncio.run(main(*sys.argv[1:4], pathlib.Path(sys.argv[4])))
