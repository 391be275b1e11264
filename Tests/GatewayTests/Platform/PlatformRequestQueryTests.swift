import HTTP1
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Queries of the Platform API")
struct PlatformRequestQueryTests {
  private enum Order: String, CaseIterable {
    case up
    case down
  }

  private func request(_ query: String, body: String = "") throws -> PlatformRequest {
    try PlatformRequest(
      HTTPRequest(
        head: HTTPRequestHead(method: "GET", target: "/v3/users?" + query),
        body: Array(body.utf8)))
  }

  private func code(_ body: () throws -> Void) -> ErrorCode? {
    do { try body() } catch { return (error as? ServiceError)?.code }
    return nil
  }

  @Test("an empty parameter counts as absent")
  func empty() throws {
    let request = try request("a=&b=")
    #expect(try request.text("a", limit: 3) == nil)
    #expect(try request.boolean("a") == nil)
    #expect(try request.number("a", in: 0...1) == nil)
    #expect(try request.texts("a", limit: 3).isEmpty)
    #expect(try request.choice("a", of: Order.self) == nil)
    #expect(try request.pageSize() == 10)
    #expect(try request.pageToken() == nil)
  }

  @Test("values are read")
  func values() throws {
    let request = try request("t=a+b&f=False&n=-3&l=x,,y,x&c=up&limit=7")
    #expect(try request.text("t", limit: 3) == "a b")
    #expect(try request.boolean("f") == false)
    #expect(try request.number("n", in: -5...5) == -3)
    #expect(try request.texts("l", limit: 1) == ["x", "y"])
    #expect(try request.choice("c", of: Order.self) == .up)
    #expect(try request.pageSize() == 7)
  }

  @Test("refusals carry the code of what is wrong")
  func refusals() throws {
    let many = (0...100).map(String.init).joined(separator: ",")
    let request = try request("t=abcd&z=%00&b=1&n=-1&m=x&c=left&l=\(many)")
    #expect(code { _ = try request.text("t", limit: 3) } == .tooLong)
    #expect(code { _ = try request.text("z", limit: 3) } == .characterNotAllowed)
    #expect(code { _ = try request.boolean("b") } == .booleanExpected)
    #expect(code { _ = try request.number("n", in: 0...5) } == .negativeNumber)
    #expect(code { _ = try request.number("n", in: -9...(-5)) } == .outOfRange)
    #expect(code { _ = try request.number("m", in: 0...5) } == .numberExpected)
    #expect(code { _ = try request.choice("c", of: Order.self) } == .invalidValue)
    #expect(code { _ = try request.texts("l", limit: 3) } == .tooManyItems)
    #expect(code { _ = try request.userIDs("z") } == .characterNotAllowed)
    #expect(code { _ = try request.userID("z") } == .characterNotAllowed)
    #expect(code { _ = try request.userIDs("l") } == .tooManyItems)
  }

  @Test("a user's id that is too long has a code of its own")
  func longIDs() throws {
    let (longest, longer) = (String(repeating: "u", count: 80), String(repeating: "u", count: 81))
    let request = try request("a=\(longest)&b=\(longer)&c=x,\(longer)&d=")
    #expect(try request.userID("a") == longest)
    #expect(try request.userID("d") == nil)
    #expect(code { _ = try request.userID("b") } == .userIDTooLong)
    #expect(code { _ = try request.userIDs("c") } == .userIDTooLong)
  }

  @Test("a body is a JSON object or nothing", arguments: ["[]", "1", "{", "{\"a\":1,\"a\":2}"])
  func bodies(text: String) throws {
    #expect(code { _ = try request("", body: text).parameters } == .bodyNotJSON)
    #expect(try request("").parameters.value("a") == nil)
    #expect(try request("", body: #"{"a":true}"#).parameters.boolean("a") == true)
  }
}
