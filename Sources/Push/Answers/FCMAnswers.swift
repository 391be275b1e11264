internal import ParleyProtocol

/// The answers of FCM's HTTP v1 API.
package enum FCMAnswers {
  private static let typePrefix = "type.googleapis.com/"
  private static let detailLimit = 16
  /// The member of a request that has the token.
  private static let tokenField = "message.token"

  /// The meaning of an answer.
  ///
  /// - Parameter now: Unix milliseconds.
  package static func outcome(of answer: PushAnswer, at now: Int64) -> PushOutcome {
    let body = FCMErrorBody(answer.body)
    let fault = PushFault(answer.status, body.reason)
    switch answer.status {
    case 200: return .sent
    case 400: return body.blamesToken ? .forgetToken(fault) : .failed(fault)
    case 401:
      // FCM's own credential for APNs or Web Push is missing there: another token does not help.
      return body.code == "THIRD_PARTY_AUTH_ERROR" ? .alarm(fault) : .renewCredential(fault)
    case 403: return body.code == "SENDER_ID_MISMATCH" ? .forgetToken(fault) : .alarm(fault)
    case 404: return body.code == "UNREGISTERED" ? .forgetToken(fault) : .alarm(fault)
    case 429, 500...599: return .wait(after: answer.requestedWait(at: now), fault)
    default: return .failed(fault)
    }
  }

  /// An error of a Google API, with the details of FCM.
  private struct FCMErrorBody {
    /// `errorCode` of the detail `FcmError`.
    var code: String?
    var status = ""
    var message = ""
    /// The members of the request that are wrong.
    var fields: [String] = []

    init(_ bytes: [UInt8]) {
      let limits = JSONLimits(byteCount: PushAnswer.byteLimit, depth: 12, nodeCount: 1_000)
      guard let error = try? JSONDocument(bytes, limits: limits).root["error"] else { return }
      status = error["status"]?.string ?? ""
      message = error["message"]?.string ?? ""
      guard let details = error["details"] else { return }
      for detail in details.elements.prefix(detailLimit) {
        let type = detail["@type"]?.string ?? ""
        if type == typePrefix + "google.firebase.fcm.v1.FcmError" {
          code = detail["errorCode"]?.string
        }
        if type == typePrefix + "google.rpc.BadRequest", let faults = detail["fieldViolations"] {
          fields += faults.elements.prefix(detailLimit).compactMap { $0["field"]?.string }
        }
      }
    }

    var reason: String { code ?? status }

    /// Whether the token is wrong, not the rest of the request, for which FCM has the same code.
    var blamesToken: Bool {
      guard code == "INVALID_ARGUMENT" else { return false }
      guard fields.isEmpty else { return fields.allSatisfy { $0 == tokenField } }
      return message.lowercased().contains("registration token")
    }
  }
}
