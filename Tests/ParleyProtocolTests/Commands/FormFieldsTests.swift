import ParleyProtocol
import Testing

@Suite("Form fields")
struct FormFieldsTests {
  private func code(_ body: () throws -> Void) -> Int? {
    do { try body() } catch { return (error as? ServiceError)?.code.rawValue }
    return nil
  }

  @Test("of several values with one name the last counts, and a list takes all")
  func repeated() throws {
    let fields = Fields(form: ["t": ["a", "b"], "l": ["x,y", "z", "x"]])
    #expect(try fields.text("t", limit: 1) == "b")
    #expect(try fields.texts("l", limit: 1) == ["x", "y", "z"])
    #expect(try fields.userIDs("l") == ["x", "y", "z"])
  }

  @Test("a list of objects is one field, or one field per object, up to its maximum")
  func objects() throws {
    let (a, b) = (#"{"key":"a","value":["1"]}"#, #" {"key":"b"}"#)
    let fields = Fields(form: [
      "one": [a], "two": [a, b], "mixed": [a, "b"], "broken": [b, "{"],
      "many": (0...10).map { #"{"key":"\#($0)"}"# },
    ])
    let first = MetaArray(key: "a", values: ["1"])
    let limits = MetaArrayLimits()
    #expect(try fields.metaArrays("one", within: limits) == [first])
    #expect(
      try fields.metaArrays("two", within: limits) == [first, MetaArray(key: "b", values: [])])
    #expect(code { _ = try fields.metaArrays("mixed", within: limits) } == 400102)
    #expect(code { _ = try fields.metaArrays("broken", within: limits) } == 400403)
    #expect(code { _ = try fields.metaArrays("many", within: limits) } == 400203)
  }

  @Test("a list may be JSON, and a list of objects must be")
  func json() throws {
    let arrays = #" [{"key":"k","value":["v"]}]"#
    let fields = Fields(form: [
      "l": [#"["x,y","z"]"#], "m": [arrays], "bad": ["[1"], "types": ["[1]"], "words": ["k,v"],
    ])
    #expect(try fields.texts("l", limit: 3) == ["x,y", "z"])
    let read = try fields.metaArrays("m", within: MetaArrayLimits())
    #expect(read == [MetaArray(key: "k", values: ["v"])])
    #expect(code { _ = try fields.texts("bad", limit: 3) } == 400403)
    #expect(code { _ = try fields.texts("types", limit: 3) } == 400100)
    #expect(code { _ = try fields.metaArrays("words", within: MetaArrayLimits()) } == 400102)
  }

  @Test("an empty value is a text, but not a number or a list")
  func empty() throws {
    let fields = Fields(form: ["e": [""]])
    #expect(try fields.text("e", limit: 1) == "")
    #expect(try fields.integer("e", in: 0...1) == nil)
    #expect(try fields.texts("e", limit: 1) == nil)
    #expect(try fields.metaArrays("e", within: MetaArrayLimits()) == nil)
    #expect(code { _ = try fields.userID("e") } == 400105)
  }

  @Test("numbers and booleans are parsed from text, with the refusals of JSON")
  func scalars() throws {
    let fields = Fields(form: ["n": ["-3"], "x": ["1.5"], "b": ["TRUE"], "o": ["{}"]])
    #expect(try fields.integer("n", in: -5...5) == -3)
    #expect(code { _ = try fields.integer("n", in: 0...5) } == 400106)
    #expect(code { _ = try fields.integer("x", in: 0...5) } == 400101)
    #expect(try fields.boolean("b") == true)
    #expect(code { _ = try fields.boolean("x") } == 400104)
    #expect(code { _ = try fields.metadata("o") } == 400103)
  }

  @Test("a message is read the same from a form, from a query and from JSON")
  func alike() throws {
    let texts = [
      "message_type": "FILE", "user_id": "ada", "url": "https://a.example/f", "file_name": "f",
      "file_size": "7", "mentioned_user_ids": "bob,cy", "dedup_id": "1", "message": "see",
    ]
    let json = try JSONDocument(
      #"""
      {"message_type":"FILE","user_id":"ada","url":"https://a.example/f","file_name":"f",
      "file_size":7,"mentioned_user_ids":["bob","cy"],"dedup_id":"1","message":"see"}
      """#
    ).root
    let expected = try MessageSubmission(Fields(json))
    #expect(try MessageSubmission(Fields(form: texts.mapValues { [$0] })) == expected)
    #expect(try MessageSubmission(Fields(query: texts)) == expected)
  }

  @Test("each field name of a submission is read", arguments: MessageSubmission.fieldNames)
  func names(name: String) throws {
    var members = [
      "message_type": "\"FILE\"", "user_id": "\"ada\"", "url": "\"https://a.example/f\"",
    ]
    // Only the template of pushes is an object.
    members[name] = name == "push_message_template" ? "[1]" : #"{"a":1}"#
    let json = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let fields = try parameters(json)
    do throws(ServiceError) {
      _ = try MessageSubmission(fields)
      Issue.record("a wrong '\(name)' is taken")
    } catch {
      #expect(error.data.field == name)
    }
  }
}
