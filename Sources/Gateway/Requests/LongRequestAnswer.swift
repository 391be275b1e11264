import Configuration
import ParleyProtocol
import Store
import Transport
import Uploads

/// A long request as the Platform API shows it.
struct LongRequestAnswer: Sendable {
  private let now: Int64
  private let publicURL: String?
  private let key: [UInt8]

  init(_ services: GatewayServices) {
    now = services.clock.now
    publicURL = services.settings.files.publicURL
    key = services.apiTokens.sealingKey
  }

  /// Writes a request, with times in milliseconds.
  func encode(_ request: LongRequest, into writer: inout JSONWriter) {
    writer.object {
      $0.member("request_id", request.id)
      switch request.kind {
      case .export: $0.member("data_type", request.subject)
      case .privacy: $0.member("action", request.subject)
      }
      $0.member("status", request.status.rawValue)
      $0.member("created_at", request.createdAt)
      $0.member("updated_at", request.updatedAt)
      $0.member("params", raw: Array(request.params.utf8))
      encodeFile(of: request, into: &$0)
      $0.member("error", request.error)
    }
  }

  /// The file while it can be read; its address is enough for that.
  private func encodeFile(of request: LongRequest, into writer: inout JSONWriter) {
    guard let file = request.file, file.stage == .complete, file.expiresAt > now,
      let url = address(of: request, file.fileID)
    else { return }
    writer.name("file")
    writer.object {
      $0.member("url", url)
      $0.member("name", file.name)
      $0.member("size", file.size)
      $0.member("expires_at", file.expiresAt)
    }
  }

  private func address(of request: LongRequest, _ fileID: String) -> String? {
    guard let sealed = request.sealedSecret,
      let secret = UploadSecret(sealed: sealed, fileID: fileID, key: key)
    else { return nil }
    let base = publicURL.map(FileAddress.base(ofPublicURL:)) ?? request.base
    return base + Routes.longFile.path(secret.text)
  }
}

extension NewLongRequest {
  /// Makes a request of a call.
  init(_ kind: LongRequestKind, _ subject: String, params: String, _ call: PlatformCall) {
    self.init(
      id: Identifiers.longRequestID(), kind: kind, subject: subject, params: params,
      base: call.namedBase ?? "", at: call.services.clock.now)
  }
}
