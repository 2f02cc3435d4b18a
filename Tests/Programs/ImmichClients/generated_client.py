"""Reads a server's answers with a client generated from Immich's own description: generated_client.py URL EMAIL PASSWORD.

The client takes an answer only when every member that the description demands is there and of its type. Says how many
kinds of answers were read; anything that is not as it must be ends it with a trace.
"""

import asyncio
import sys

from immichpy.client import generated
from immichpy.client.generated import models


async def main(url, email, password):
    async with generated.ApiClient(generated.Configuration(host=url + "/api")) as client:
        authentication = generated.AuthenticationApi(client)
        credentials = models.LoginCredentialDto(email=email, password=password)
        login = await authentication.login(login_credential_dto=credentials)
        client.set_default_header("Authorization", f"Bearer {login.access_token}")

        read = []

        async def take(answer):
            answer = await answer
            read.append(answer)
            return answer

        me = await take(generated.UsersApi(client).get_my_user())
        assert me.email == email
        await take(authentication.validate_access_token())
        await take(authentication.get_auth_status())
        await take(generated.SessionsApi(client).get_sessions())

        server = generated.ServerApi(client)
        for question in (
            server.ping_server, server.get_server_version, server.get_server_features, server.get_server_config,
            server.get_supported_media_types, server.get_about_info, server.get_storage, server.get_version_check,
            server.get_version_history,
        ):
            await take(question())
        if me.is_admin:
            await take(server.get_server_statistics())

        search = await take(generated.SearchApi(client).search_assets(models.MetadataSearchDto(size=1000)))
        assert search.assets.items
        assets = generated.AssetsApi(client)
        for found in search.assets.items:
            asset = await take(assets.get_asset_info(id=found.id))
            assert asset.checksum == found.checksum
        await take(assets.get_asset_statistics())

        albums = generated.AlbumsApi(client)
        listed = await take(albums.get_all_albums())
        assert listed
        for album in listed:
            assert album.album_users[0].role == models.AlbumUserRole.OWNER
            assert (await take(albums.get_album_info(id=album.id))).album_users == album.album_users
        shared = [album for album in listed if album.shared]
        assert all(str(album.album_users[1].user.id) == str(me.id) for album in shared)

        everything = models.DownloadInfoDto(user_id=me.id)
        assert (await take(generated.DownloadApi(client).get_download_info(everything))).total_size > 0
        await take(generated.PeopleApi(client).get_all_people())
        await take(generated.TagsApi(client).get_all_tags())
        print(f"read {len(read)} answers, {len(listed)} albums, by {sys.argv[4] if len(sys.argv) > 4 else 'the client'}")


asyncio.run(main(*sys.argv[1:4]))
