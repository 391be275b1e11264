import HTTP
import Store
import Transport

/// Every path that the gateway answers, with its permitted callers, its body and its endpoint.
///
/// The only place where paths are defined.
enum Routes {
  typealias Table = Router<Access, Endpoint>
  typealias Route = Table.Route

  static let table = Table(
    resources + PlatformRoutes.all,
    areas: [
      .init("v3", access: .platform(.whileServing, .viewer)),
      .init("files", access: .files),
    ], elsewhere: .open)

  /// The callers that a path admits.
  enum Access: Sendable, Hashable {
    /// Anyone; pages, if they are of the server's own origin.
    case open
    /// Anyone, from pages of any origin.
    case shared
    /// The same as `shared`: files are found only by their addresses.
    case files
    /// Anyone who knows the address of an upload; pages, if they are of the server's own or an
    /// allowed origin, or of any origin without a list.
    case uploads
    /// Clients that act as a user, by opening a socket or a stream, or by creating an upload; pages, if they are of
    /// the server's own or an allowed origin.
    case users
    /// Back ends and operators with an API token of a role that includes this one.
    case platform(Availability, APITokenRole)
  }

  enum Availability: Sendable, Hashable {
    case whileServing
    /// Also while the gateway drains.
    case always
  }

  /// The code that answers a path.
  enum Endpoint: Sendable {
    case resource(@Sendable (ResourceCall) -> RequestOutcome)
    /// Receives bodies as they arrive.
    case upload
    /// Opens, reads or closes a stream, or receives a message for it.
    case stream
    case platform(PlatformEndpoint)
    /// Runs where the channel in the path is at home.
    case channel(PlatformEndpoint)
  }

  static let healthPath = "/healthz"
  static let readinessPath = "/readyz"

  /// The path of a file, from which its address is built.
  static let file: PathPattern = "/files/{file_id}/{file_name:any}"

  /// The path of a file's thumbnail.
  static let thumbnail: PathPattern = "/files/{file_id}/t/{bounds}/{file_name:any}"

  /// The copy of a preview's picture.
  static let picture: PathPattern = "/previews/{name}"

  /// The parts of the client for browsers, and its modules under names derived from their content.
  static let clientFile = PathPattern("/{file_name:script}", describedAs: "/parley-{part}")

  /// The file of an export or of an archive of a user.
  static let longFile: PathPattern = "/exports/{secret}"

  /// The address of an upload.
  static let upload: PathPattern = "/v1/uploads/{secret}"

  /// The address of an event stream.
  static let stream: PathPattern = "/v1/streams/{stream}"

  private static let resources = [
    Route(
      ["PUT", "HEAD", "PATCH", "DELETE", "POST", "OPTIONS"], upload, access: .uploads, .upload),
    Route(["POST", "OPTIONS"], "/v1/files", access: .users, .upload),
    Route(["GET", "POST", "DELETE", "OPTIONS"], stream, access: .users, .stream),
    Route(["POST", "OPTIONS"], "/v1/streams", access: .users, .stream),
    resource("/", StaticResources.page),
    resource("/docs", StaticResources.apiPage),
    resource("/favicon.ico", StaticResources.icon),
    resource(PathPattern(healthPath), StaticResources.health),
    resource(PathPattern(readinessPath), StaticResources.readiness),
    resource("/metrics", StaticResources.metrics),
    resource("/dashboard", DashboardPage.view),
    resource("/v3/openapi.json", access: .shared, StaticResources.openAPI),
    resource("/v1/asyncapi.json", access: .shared, StaticResources.asyncAPI),
    resource("/parley.js", access: .shared, StaticResources.module),
    resource("/parley-push.js", access: .shared, StaticResources.pushWorker),
    resource("/parley.d.ts", access: .shared, StaticResources.moduleTypes),
    resource(clientFile, access: .shared, StaticResources.clientFile),
    resource(file, access: .files, FileDownload.begin),
    resource(thumbnail, access: .files, FileDownload.beginThumbnail),
    resource(picture, access: .files, PictureDownload.begin),
    resource(longFile, access: .files, LongFileDownload.begin),
    Route(["GET"], "/v1/ws", access: .users, .resource { $0.shard.upgrade($0.exchange) }),
  ]

  private static func resource(
    _ pattern: PathPattern, access: Access = .open,
    _ endpoint: @escaping @Sendable (ResourceCall) -> RequestOutcome
  ) -> Route {
    Route(["GET"], pattern, access: access, .resource(endpoint))
  }
}

/// A request that is not a call of the Platform API.
struct ResourceCall {
  let shard: Shard
  let exchange: Exchange
  let arguments: PathArguments

  var head: HTTPRequestHead { exchange.head }
}
