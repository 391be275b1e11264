import ParleyProtocol
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
  @Test("each code has the number of the contract")
  func numbers() {
    let codes: [(ErrorCode, Int)] = [
      (.parseError, -32700), (.invalidRequest, -32600), (.methodNotFound, -32601),
      (.invalidParams, -32602), (.internalRPCError, -32603), (.stringExpected, 400100),
      (.numberExpected, 400101), (.listExpected, 400102), (.jsonExpected, 400103),
      (.booleanExpected, 400104), (.missingParameter, 400105), (.negativeNumber, 400106),
      (.notAllowed, 400108), (.pageTokenExpired, 400109), (.tooLong, 400110),
      (.invalidValue, 400111), (.outOfRange, 400113), (.characterNotAllowed, 400151),
      (.notFound, 400201), (.alreadyExists, 400202), (.tooManyItems, 400203),
      (.userDeactivated, 400300), (.invalidAccessToken, 400302), (.userIDTooLong, 400305),
      (.originNotAllowed, 400307), (.invalidAPIToken, 400401), (.bodyNotJSON, 400403),
      (.tooManyUserConnections, 400500), (.tooManyConnections, 400501), (.banned, 400750),
      (.combinationNotAcceptable, 400920), (.noSuchEndpoint, 400930), (.internalError, 500901),
      (.rateLimited, 500910), (.notInChannel, 900020), (.muted, 900041), (.frozen, 900050),
      (.flood, 900200),
    ]
    for (code, number) in codes { #expect(code.rawValue == number) }
  }

  @Test(
    "the HTTP status is 400, except for codes with their own status",
    arguments: [
      (.invalidAPIToken, 401), (.originNotAllowed, 403), (.noSuchEndpoint, 404), (.flood, 429),
      (.rateLimited, 429), (.internalError, 500), (.tooManyConnections, 503), (.notFound, 400),
      (.notInChannel, 400), (.tooLong, 400), (ErrorCode(rawValue: 1), 400),
    ] as [(ErrorCode, Int)])
  func statuses(_ code: ErrorCode, _ status: Int) {
    #expect(code.httpStatus == status)
  }
}
