/// The number of an error on the socket (`error.code`) and over HTTP (`code`).
///
/// Negative codes are defined by JSON-RPC (specification 2.0, §5.1).
package struct ErrorCode: RawRepresentable, Sendable, Hashable {
  package var rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  private init(_ rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The text is not JSON.
  package static let parseError = ErrorCode(-32_700)
  /// Valid JSON, but not a JSON-RPC request, or one that is not allowed at this point.
  package static let invalidRequest = ErrorCode(-32_600)
  /// No such method.
  package static let methodNotFound = ErrorCode(-32_601)
  /// `params` is not an object.
  package static let invalidParams = ErrorCode(-32_602)
  /// An internal error while answering on the socket.
  package static let internalRPCError = ErrorCode(-32_603)

  /// A string is expected.
  package static let stringExpected = ErrorCode(400_100)
  /// A number is expected.
  package static let numberExpected = ErrorCode(400_101)
  /// A list is expected.
  package static let listExpected = ErrorCode(400_102)
  /// A JSON object is expected.
  package static let jsonExpected = ErrorCode(400_103)
  /// A boolean is expected.
  package static let booleanExpected = ErrorCode(400_104)
  /// A required parameter is missing, or empty where a text is required.
  package static let missingParameter = ErrorCode(400_105)
  /// A number may not be negative.
  package static let negativeNumber = ErrorCode(400_106)
  /// The caller is not the author, an operator or a participant.
  package static let notAllowed = ErrorCode(400_108)
  /// The page token is invalid.
  package static let pageTokenExpired = ErrorCode(400_109)
  /// A value is too long.
  package static let tooLong = ErrorCode(400_110)
  /// Invalid value.
  package static let invalidValue = ErrorCode(400_111)
  /// Out of range.
  package static let outOfRange = ErrorCode(400_113)
  /// A character that is not allowed.
  package static let characterNotAllowed = ErrorCode(400_151)

  /// The user, channel, message or other resource does not exist.
  package static let notFound = ErrorCode(400_201)
  /// The resource already exists.
  package static let alreadyExists = ErrorCode(400_202)
  /// Too many items.
  package static let tooManyItems = ErrorCode(400_203)

  /// The user is deactivated.
  package static let userDeactivated = ErrorCode(400_300)
  /// Invalid access token.
  package static let invalidAccessToken = ErrorCode(400_302)
  /// `user_id` is too long.
  package static let userIDTooLong = ErrorCode(400_305)
  /// The origin is not allowed.
  package static let originNotAllowed = ErrorCode(400_307)
  /// Invalid API token.
  package static let invalidAPIToken = ErrorCode(400_401)
  /// The body is not valid JSON.
  package static let bodyNotJSON = ErrorCode(400_403)

  /// The user has too many connections.
  package static let tooManyUserConnections = ErrorCode(400_500)
  /// There are too many connections, or the server is draining.
  package static let tooManyConnections = ErrorCode(400_501)
  /// The user is banned from the channel.
  package static let banned = ErrorCode(400_750)
  /// The combination of parameters is not allowed.
  package static let combinationNotAcceptable = ErrorCode(400_920)
  /// There is no such endpoint.
  package static let noSuchEndpoint = ErrorCode(400_930)

  /// Internal error.
  package static let internalError = ErrorCode(500_901)
  /// The rate limit of a call is exceeded.
  package static let rateLimited = ErrorCode(500_910)

  /// The user is not in the channel.
  package static let notInChannel = ErrorCode(900_020)
  /// The user is muted in the channel.
  package static let muted = ErrorCode(900_041)
  /// The channel is frozen.
  package static let frozen = ErrorCode(900_050)
  /// A word filter refused a text.
  package static let filtered = ErrorCode(900_060)
  /// Spam-flood protection refused a message.
  package static let flood = ErrorCode(900_200)
}

extension ErrorCode {
  /// The HTTP status for the code; 400 by default.
  package var httpStatus: Int {
    switch self {
    case .invalidAPIToken: 401
    case .originNotAllowed: 403
    case .noSuchEndpoint: 404
    case .flood, .rateLimited: 429
    case .internalError, .internalRPCError: 500
    case .tooManyConnections: 503
    case _ where isOfApplication: 403
    default: 400
    }
  }
}
