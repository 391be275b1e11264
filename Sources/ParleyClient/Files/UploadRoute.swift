internal import ClientTransport
internal import ParleyProtocol

/// Requests to the address of an upload, with tus 1.0.0.
struct UploadRoute: Sendable {
  private let plan: ConnectionPlan
  private let lane: any Lane

  /// - Parameters:
  ///   - url: The address that the server returned for the upload.
  ///   - lane: The lane to use; `nil` for the platform's.
  init(
    to url: String, _ configuration: EngineConfiguration, on lane: (any Lane)? = nil
  ) throws(ParleyError) {
    plan = try ConnectionPlan(configuration, toUpload: url)
    if let lane { self.lane = lane } else { self.lane = try PlatformLane.shared() }
  }

  /// Requests the offset of the upload.
  func ask() async -> UploadAnswer {
    var request = ClientRequest("HEAD")
    request.timeout = .seconds(20)
    return await answer(to: request)
  }

  /// Sends a piece.
  func send(_ piece: [UInt8], from offset: Int64) async -> UploadAnswer {
    var request = ClientRequest("PATCH")
    request.fields = [
      ("Content-Type", "application/offset+octet-stream"), ("Upload-Offset", "\(offset)"),
    ]
    request.body = piece
    return await answer(to: request)
  }

  private func answer(to request: ClientRequest) async -> UploadAnswer {
    var request = request
    request.fields.append(("Tus-Resumable", "1.0.0"))
    do throws(ConnectionFailure) {
      return UploadAnswer(try await lane.response(to: request, by: plan))
    } catch {
      return UploadAnswer(error)
    }
  }
}

extension UploadAnswer {
  init(_ failure: ConnectionFailure) {
    let error = ParleyError.connectionFailed(failure.reason)
    switch failure.kind {
    case .lasting, .unauthorized: self = .refused(error)
    case .unavailable(let wait): self = .failed(error, retryAfter: wait)
    case .temporary, .lost, .protocolViolation, .messageTooLarge:
      self = .failed(error, retryAfter: nil)
    }
  }

  init(_ response: ClientResponse) {
    switch response.status {
    case 200...299, 409:
      guard let text = response["Upload-Offset"], let offset = Int64(text) else {
        self = .refused(.malformedAnswer("'Upload-Offset' is missing"))
        return
      }
      self = .offset(offset)
    case 404, 410: self = .refused(.notFound("the upload was cancelled or has expired"))
    case 408, 423, 429, 500...599:
      self = .failed(
        Self.error(response), retryAfter: response.retryAfter.map { min($0, 3_600_000) })
    default: self = .refused(Self.error(response))
    }
  }

  private static func error(_ response: ClientResponse) -> ParleyError {
    guard let root = try? JSONDocument(response.body).root, let error = ServiceError(json: root)
    else { return .connectionFailed("the server answered \(response.status)") }
    return ParleyError(error)
  }
}
