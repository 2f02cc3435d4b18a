import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary
import ServerMessages

/// Albums, which are the folders below a person's folder. The lists of people and tags are always empty; they exist
/// because clients request them.
extension ImmichAssetRoutes {
    func addAlbums(to router: inout Router) {
        routing.on(.get, "/albums", to: &router) { request in
            let viewer = try await viewer(of: request)
            try Self.checkBool("shared", in: request)
            let shared = request.query("shared").map { $0 == "true" }
            let albums = try await library?.store.albums(for: viewer.owners) ?? []
            let answers = albums.map { ImmichAssetResponses.album($0, for: viewer) }
            return ServerResponse.privateJSON(answers.filter { shared == nil || $0.shared == shared })
        }
        routing.on(.get, id: "/albums/{id}", to: &router) { request, id in
            let viewer = try await viewer(of: request)
            guard let album = try await library?.store.album(id, for: viewer.owners) else {
                throw Self.noAccess("album.read")
            }
            return ServerResponse.privateJSON(ImmichAssetResponses.album(album, for: viewer))
        }
        routing.on(.get, "/people", to: &router) { request in
            _ = try await viewer(of: request)
            return ServerResponse.privateJSON(ImmichPeople())
        }
        routing.on(.get, id: "/people/{id}", to: &router) { request, _ in
            _ = try await viewer(of: request)
            throw Self.noAccess("person.read")
        }
        routing.on(.get, "/tags", to: &router) { request in
            _ = try await viewer(of: request)
            return ServerResponse.privateJSON([JSONValue]())
        }
    }
}
