import ParleyProtocol
import Store
import Transport

/// The paths for the data of the deployment as a whole: exports, imports, erasures, retention.
extension PlatformRoutes {
  static let data = exports + migration + retention

  private static let exports = [
    route("POST", "/v3/export/{data_type}", body: json, ExportEndpoints.start),
    // They have the addresses of files, which need no token.
    route("GET", "/v3/export/{data_type}", query: list(), for: .admin, ExportEndpoints.list),
    route("GET", "/v3/export/{data_type}/{request_id}", for: .admin, ExportEndpoints.view),
    route(
      "GET", "/v3/parley/export/{data_type}",
      query: .only(ExportParameters.names + ["after", "limit"]), ExportEndpoints.page),
    route("POST", "/v3/privacy/gdpr", body: json, PrivacyEndpoints.start),
    route("GET", "/v3/privacy/gdpr", query: list("action"), for: .admin, PrivacyEndpoints.list),
    route("GET", "/v3/privacy/gdpr/{request_id}", for: .admin, PrivacyEndpoints.view),
    route("DELETE", "/v3/privacy/gdpr/{request_id}", PrivacyEndpoints.cancel),
  ]

  private static let migration = [
    channelRoute("POST", "/v3/migration/{channel_url}", body: json, MigrationEndpoints.migrate)
  ]

  private static let channelRetention: PathPattern = "/v3/parley/channels/{channel_url}/retention"

  private static let retention = [
    channelRoute("GET", channelRetention, RetentionEndpoints.view),
    channelRoute("PUT", channelRetention, body: json, RetentionEndpoints.set),
    channelRoute(
      "PUT", "/v3/parley/channels/{channel_url}/hold", body: json, RetentionEndpoints.hold),
    route("GET", "/v3/parley/holds", query: list(), RetentionEndpoints.listHolds),
  ]
}
