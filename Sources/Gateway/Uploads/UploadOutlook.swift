import Configuration
import ParleyProtocol
import Store

/// The outcome of a user's next `file.create`.
struct UploadOutlook: Sendable {
  let limits: LimitSettings
  let standing: UploadStanding.Outcome

  /// In the order of the checks: the first is the refusal that the user would receive.
  ///
  /// Here the byte limit refuses only when there is no room for a file of one byte.
  var refusals: [ServiceError] {
    var refusals: [ServiceError] = []
    if limits.fileBytes == 0 { refusals.append(.uploadsAreOff) }
    if let late = standing.late {
      refusals.append(
        .rateLimited(
          retryAfter: late.retryAfter, limit: late.limit, window: late.window, scope: "uploads"))
    }
    if limits.uploadsPerUser > 0, standing.openCount >= limits.uploadsPerUser {
      refusals.append(.tooManyUploads(limits.uploadsPerUser))
    }
    if limits.userFileBytes > 0, standing.byteCount >= limits.userFileBytes {
      refusals.append(.tooManyFileBytes(limits.userFileBytes))
    }
    return refusals
  }

  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("max_bytes", limits.fileBytes)
      $0.member("per_second", limits.uploadsPerSecond)
      $0.member("per_minute", limits.uploadsPerMinute)
      $0.member("retry_after_ms", standing.late?.retryAfter ?? 0)
      $0.member("unfinished", standing.openCount)
      $0.member("max_unfinished", limits.uploadsPerUser)
      $0.member("file_bytes", standing.byteCount)
      $0.member("max_file_bytes", limits.userFileBytes)
      $0.member(
        "refusals",
        array: {
          for error in refusals { $0.object { error.encodeRefusal(into: &$0) } }
        })
    }
  }
}
