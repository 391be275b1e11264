import HTTP1

/// The descriptions of both interfaces for machines, served from the binary to anyone.
enum InterfaceDescription: String {
  /// OpenAPI 3.1: everything over HTTP.
  case openAPI = "/v3/openapi.json"
  /// AsyncAPI 3.0: everything over the WebSocket.
  case asyncAPI = "/v1/asyncapi.json"

  private static let entityTags = [
    Self.openAPI: "\"\(ContentHash.base64(of: PackageResources.openapi_json))\"",
    Self.asyncAPI: "\"\(ContentHash.base64(of: PackageResources.asyncapi_json))\"",
  ]

  /// Answers 304 without a body to whoever has this very version (RFC 9110 §13.1.2).
  func response(to head: HTTPRequestHead) -> HTTPResponse {
    let tag = Self.entityTags[self] ?? ""
    // Pages of other origins may read them, so that viewers in a browser can.
    let fields: HTTPFields = [
      "Cache-Control": "public, max-age=300", "ETag": tag, "Access-Control-Allow-Origin": "*",
    ]
    if let known = head.fields["If-None-Match"], known == "*" || known.contains(tag) {
      return HTTPResponse(status: .notModified, fields: fields)
    }
    var response = HTTPResponse(status: .ok, fields: fields, body: content)
    response.fields.append("Content-Type", mediaType)
    response.fields.append("X-Content-Type-Options", "nosniff")
    return response
  }

  private var content: [UInt8] {
    switch self {
    case .openAPI: PackageResources.openapi_json
    case .asyncAPI: PackageResources.asyncapi_json
    }
  }

  private var mediaType: String {
    switch self {
    case .openAPI: "application/vnd.oai.openapi+json;version=3.1"
    case .asyncAPI: "application/vnd.aai.asyncapi+json;version=3.0.0"
    }
  }
}
