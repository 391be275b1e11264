internal import ParleyProtocol

/// The answer to the creation of a user with a token.
enum AccessTokenAnswer {
  static func token(_ answer: [UInt8]) throws -> String {
    guard let token = try? JSONDocument(answer).root["access_token"]?.string, !token.isEmpty else {
      throw CommandFailure.unreachable("the answer has no access token: is it a Parley gateway?")
    }
    return token
  }
}
