import ParleyClient
import Testing

@Suite("An error of the client")
struct ParleyErrorTests {
  @Test(
    "has the code of the protocol",
    arguments: [
      (ParleyError.tooManyMessages(retryAfter: .seconds(1)), 900_200),
      (.rateLimited(retryAfter: .seconds(1)), 500_910), (.banned, 400_750), (.muted, 900_041),
      (.frozen, 900_050), (.notInChannel, 900_020), (.notFound("no"), 400_201),
      (.unauthorized("no"), 400_302), (.refused(code: 400_113, message: "no", field: nil), 400_113),
    ])
  func code(error: ParleyError, code: Int) {
    #expect(error.code == code)
    #expect(error.description == "\(error.message) (\(code))")
  }

  @Test(
    "that the client itself detected has no code",
    arguments: [
      ParleyError.connectionLost, .connectionFailed("no"), .timedOut, .cancelled, .notConnected,
      .tooManyPending(limit: 3), .invalidConfiguration("no"), .malformedAnswer("no"),
    ])
  func noCode(error: ParleyError) {
    #expect(error.code == nil)
    #expect(error.description == error.message)
  }

  @Test("is matched by its cases in a closure too")
  func closures() async {
    let client = ParleyClient(configuration: .init(serverURL: "ws://127.0.0.1:1"))
    let isCaught = await Task {
      do throws(ParleyError) {
        _ = try await client.openChannel(url: "lobby")
        return false
      } catch .notConnected {
        return true
      } catch {
        return false
      }
    }.value
    #expect(isCaught)
  }

  @Test("has the retry delay if the server sent one")
  func retryAfter() {
    #expect(
      ParleyError.tooManyMessages(retryAfter: .milliseconds(180)).retryAfter == .milliseconds(180))
    #expect(ParleyError.rateLimited(retryAfter: .seconds(2)).retryAfter == .seconds(2))
    #expect(ParleyError.banned.retryAfter == nil)
  }
}
