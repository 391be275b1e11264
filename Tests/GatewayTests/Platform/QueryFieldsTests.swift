import HTTP
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("Platform API queries")
struct QueryFieldsTests {
  private enum Order: String, CaseIterable {
    case up
    case down
  }

  private func fields(_ query: String) throws -> Fields {
    Fields(query: try #require(QueryParameters(query)).values)
  }

  private func code(_ body: () throws -> Void) -> ErrorCode? {
    do { try body() } catch { return (error as? ServiceError)?.code }
    return nil
  }

  @Test("an empty parameter counts as absent")
  func empty() throws {
    let fields = try fields("a=&b=")
    #expect(try fields.text("a", limit: 3) == nil)
    #expect(try fields.boolean("a") == nil)
    #expect(try fields.integer("a", in: 0...1) == nil)
    #expect(try fields.texts("a", limit: 3) == nil)
    #expect(try fields.choice("a", of: Order.self) == nil)
    #expect(try fields.pageSize() == 10)
    #expect(try fields.pageToken() == nil)
  }

  @Test("values are parsed")
  func values() throws {
    let fields = try fields("t=a+b&f=False&n=-3&l=x,,y,x&c=up&limit=7")
    #expect(try fields.text("t", limit: 3) == "a b")
    #expect(try fields.boolean("f") == false)
    #expect(try fields.integer("n", in: -5...5) == -3)
    #expect(try fields.texts("l", limit: 1) == ["x", "y"])
    #expect(try fields.choice("c", of: Order.self) == .up)
    #expect(try fields.pageSize() == 7)
  }

  @Test("refusals have the matching error code")
  func refusals() throws {
    let many = (0...100).map(String.init).joined(separator: ",")
    let fields = try fields("t=abcd&z=%00&b=1&n=-1&m=x&c=left&l=\(many)")
    #expect(code { _ = try fields.text("t", limit: 3) } == .tooLong)
    #expect(code { _ = try fields.text("z", limit: 3) } == .characterNotAllowed)
    #expect(code { _ = try fields.boolean("b") } == .booleanExpected)
    #expect(code { _ = try fields.integer("n", in: 0...5) } == .negativeNumber)
    #expect(code { _ = try fields.integer("n", in: -9...(-5)) } == .outOfRange)
    #expect(code { _ = try fields.integer("m", in: 0...5) } == .numberExpected)
    #expect(code { _ = try fields.choice("c", of: Order.self) } == .invalidValue)
    #expect(code { _ = try fields.texts("l", limit: 3) } == .tooManyItems)
    #expect(code { _ = try fields.userIDs("z") } == .characterNotAllowed)
    #expect(code { _ = try fields.optionalUserID("z") } == .characterNotAllowed)
    #expect(code { _ = try fields.userIDs("l") } == .tooManyItems)
  }

  @Test("a list without items is refused, because as a filter it would select everything")
  func listsOfNothing() throws {
    let fields = try fields("l=,&m=,,")
    #expect(code { _ = try fields.userIDs("l") } == .missingParameter)
    #expect(code { _ = try fields.texts("m", limit: 3) } == .missingParameter)
  }

  @Test("items are selected by one key or by several, but not both")
  func itemKeys() throws {
    #expect(try fields("").itemKeys() == [])
    #expect(try fields("key=a,b").itemKeys() == ["a,b"])
    #expect(try fields("keys=a,b").itemKeys() == ["a", "b"])
    #expect(code { _ = try fields("key=a&keys=b").itemKeys() } == .combinationNotAcceptable)
  }

  @Test("messages can be filtered by one author or several, and `*` means all types")
  func messageFilters() throws {
    func filter(_ query: String) throws -> MessageFilter {
      let fields = try fields("message_ts=0&\(query)")
      return try MessageList(inChannel: "lobby", query: fields).filter
    }
    #expect(try filter("sender_id=ada").senderIDs == ["ada"])
    #expect(try filter("sender_ids=ada,bob").senderIDs == ["ada", "bob"])
    #expect(try filter("custom_types=*").customTypes == [])
    #expect(try filter("custom_types=*,a").customTypes == ["*", "a"])
    #expect(code { _ = try filter("sender_id=ada&sender_ids=bob") } == .combinationNotAcceptable)
  }

  @Test("an overlong user ID has its own error code")
  func longIDs() throws {
    let (longest, longer) = (String(repeating: "u", count: 80), String(repeating: "u", count: 81))
    let fields = try fields("a=\(longest)&b=\(longer)&c=x,\(longer)&d=")
    #expect(try fields.optionalUserID("a") == longest)
    #expect(try fields.optionalUserID("d") == nil)
    #expect(code { _ = try fields.optionalUserID("b") } == .userIDTooLong)
    #expect(code { _ = try fields.userIDs("c") } == .userIDTooLong)
  }

  @Test("a body is a JSON object or nothing", arguments: ["[]", "1", "{", "{\"a\":1,\"a\":2}"])
  func bodies(text: String) throws {
    #expect(code { _ = try Fields(body: Array(text.utf8)) } == .bodyNotJSON)
    #expect(try Fields(body: []).boolean("a") == nil)
    #expect(try Fields(body: Array(#"{"a":true}"#.utf8)).boolean("a") == true)
  }
}
