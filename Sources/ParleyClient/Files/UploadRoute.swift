internal import HTTP
internal import ParleyProtocol
internal import Reactor

/// Requests to the address of an upload, with tus 1.0.0.
struct UploadRoute: Sendable {
  private let plan: ConnectionPlan
  private let loop: ClientLoop

  /// - Parameter url: The address that the server returned for the upload.
  init(to url: String, _ configuration: EngineConfiguration) throws(ParleyError) {
    let socket = try ConnectionPlan(configuration)
    do throws(ConnectionPlanError) {
      plan = try socket.toRequest(url)
    } catch {
      throw .malformedAnswer("'upload_url' can't be used")
    }
    do throws(SystemError) {
      loop = try ClientLoop.shared()
    } catch {
      throw .connectionFailed(error.description)
    }
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
      return UploadAnswer(try await request.response(by: plan, on: loop))
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

  init(_ response: HTTPResponse) {
    switch response.status.code {
    case 200...299, 409:
      guard let text = response.fields["Upload-Offset"], let offset = Int64(text) else {
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

  private static func error(_ response: HTTPResponse) -> ParleyError {
    guard let root = try? JSONDocument(response.body).root, let error = ServiceError(json: root)
    else { return .connectionFailed("the server answered \(response.status)") }
    return ParleyError(error)
  }
}
