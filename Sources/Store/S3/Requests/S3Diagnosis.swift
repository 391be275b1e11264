import Basics

/// Finds the setting that an operator has to correct, from an answer of S3 that refuses a request.
struct S3Diagnosis {
  /// The difference between clocks in seconds beyond which S3 refuses requests.
  private static let clockTolerance: Int64 = 900

  let bucketURL: String
  let region: String
  /// Seconds since 1970 by this machine's clock.
  let now: Int64

  /// - Parameter step: The verb for the attempted operation on an object: `put`, `read` or `removed`.
  func sentence(_ error: S3Error, step: String) -> String {
    guard let answer = error.answer else { return error.description }
    if let sentence = clockSentence(answer) { return sentence }
    switch answer.code {
    case "NoSuchBucket"?:
      return "there is no bucket at \(bucketURL)"
    case "InvalidAccessKeyId"?:
      return "the server does not know files.s3_key; expected the id of an access key"
    case "SignatureDoesNotMatch"?:
      return "the signature is wrong: files.s3_secret is not the secret of files.s3_key"
    case "AccessDenied"?:
      return "files.s3_key lacks rights, no object can be \(step): allow it to put, get and delete "
        + "objects of the bucket (\(error))"
    case "AuthorizationHeaderMalformed"?, "IllegalLocationConstraintException"?,
      "PermanentRedirect"?, "TemporaryRedirect"?:
      return regionSentence(answer)
    default:
      return (301...308).contains(answer.status) ? regionSentence(answer) : error.description
    }
  }

  /// - Returns: `nil` when the clocks agree well enough, or the server's time is unknown.
  private func clockSentence(_ answer: S3Error.Answer) -> String? {
    guard let time = answer.date.flatMap({ HTTPDate($0) })?.seconds else {
      return answer.code == "RequestTimeTooSkewed"
        ? "the clock of this machine differs too much from the server's; set it right" : nil
    }
    let lead = now - time
    guard abs(lead) > Self.clockTolerance || answer.code == "RequestTimeTooSkewed" else {
      return nil
    }
    let direction = lead < 0 ? "behind" : "ahead of"
    return "the clock of this machine is \(abs(lead)) s \(direction) the server's; set it right"
  }

  private func regionSentence(_ answer: S3Error.Answer) -> String {
    guard let other = answer.region, other != region else {
      return "the bucket is not in region \(region) at \(bucketURL); set region and endpoint in "
        + "files.store"
    }
    let shown = DisplayText.quoted(other, limit: 64)
    return "the bucket is in region \(shown), not \(region); set region in files.store"
  }
}
