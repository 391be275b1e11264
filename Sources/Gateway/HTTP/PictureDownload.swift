import Basics
import HTTP
import Reactor
import Thumbnails
import Transport
import Unfurler

/// Serves the copies of the pictures of previews to any client that has their addresses.
enum PictureDownload {
  /// Handles `/previews/{name}?url={the page's own address}`: looks the copy up, or recreates it.
  static func begin(_ call: ResourceCall) -> RequestOutcome {
    let parts = call.arguments["name"].split(separator: ".", omittingEmptySubsequences: false)
    guard let pictures = call.shard.services.pictures, parts.count == 2,
      let name = PictureName(text: String(parts[0]))
    else { return .respond(FileDownload.notFound) }
    let url = QueryParameters(call.head.query)?["url"]
    let (exchange, path) = (call.exchange.id, call.shard.returnPath)
    let known = call.head.fields["If-None-Match"]
    let viewer = PreviewRequester(viewer: call.exchange.connection.clientAddress)
    pictures.obtain(name, from: url, for: viewer) { picture in
      guard let picture else { return Self.miss(exchange, path) }
      let fields = fields(of: picture)
      if known == fields["ETag"] {
        return path.resume {
          $0.transport.respond(HTTPResponse(status: .notModified, fields: fields), to: exchange)
        }
      }
      pictures.open(picture) { file in
        guard let file else { return Self.miss(exchange, path) }
        path.resume {
          $0.transport.respond(
            HTTPResponse(status: .ok, fields: fields), with: FileSpan(file, 0..<file.byteCount),
            to: exchange)
        }
      }
    }
    return .respondLater(onAbandonment: nil)
  }

  private static func miss(_ exchange: Exchange.ID, _ path: ReturnPath) {
    path.resume { $0.transport.respond(FileDownload.notFound, to: exchange) }
  }

  /// The type is the one encoded here; nothing in it may run, however a browser interprets it.
  private static func fields(of picture: ShelvedPicture) -> HTTPFields {
    [
      "Content-Type": picture.format.mediaType,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Referrer-Policy": "no-referrer",
      // The page may later show another picture at the same address.
      "Cache-Control": "public, max-age=86400",
      "ETag": "\"\(picture.fileName)\"",
    ]
  }
}

extension PreviewRequester {
  /// Identifies a viewer by its network, as an owner of IPv6 addresses has many of them.
  fileprivate init(viewer: PeerAddress?) {
    switch viewer?.address {
    case .v4(let bits): self = .visitor("v4 \(bits)")
    case .v6(let bits): self = .visitor("v6 \(bits >> 64)")
    case nil: self = .visitor("unknown")
    }
  }
}
