import ParleyProtocol
import Testing

@Suite("Fields")
struct FieldsTests {
  private func refusal(_ read: () throws(ServiceError) -> Void) -> Refusal? {
    do throws(ServiceError) {
      try read()
      return nil
    } catch {
      return Refusal(error)
    }
  }

  @Test("a length counts Unicode scalars, not bytes or graphemes")
  func lengths() throws {
    let fits = try parameters(#""t":"\#(text(5, "😀"))""#)
    #expect(try fits.text("t", limit: 5) == text(5, "😀"))
    let family = try parameters(#""t":"👨‍👩‍👧""#)
    #expect(
      refusal { () throws(ServiceError) in _ = try family.text("t", limit: 4) }
        == Refusal(400110, "t"))
    #expect(try family.text("t", limit: 5) == "👨‍👩‍👧")
  }

  @Test("application data is measured in bytes")
  func dataLimit() throws {
    let fits = try parameters(#""data":"\#(text(8192, "é"))""#)
    #expect(try fits.data("data")?.utf8.count == 16_384)
    let tooLong = try parameters(#""data":"\#(text(8192, "é"))x""#)
    #expect(
      refusal { () throws(ServiceError) in _ = try tooLong.data("data") }
        == Refusal(400110, "data"))
  }

  @Test("U+0000 is refused in every text")
  func nul() throws {
    let parameters = try parameters(#""t":"a\u0000","m":{"a":"\u0000"},"n":{"\u0000":"a"}"#)
    let expected = Refusal(400151, "t")
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.text("t", limit: 9) } == expected)
    #expect(refusal { () throws(ServiceError) in _ = try parameters.data("t") } == expected)
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.metadata("m") }
        == Refusal(400151, "m"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.metadata("n") }
        == Refusal(400151, "n"))
  }

  @Test("a list of objects with another element is refused with the expected element type")
  func objects() throws {
    let parameters = try parameters(#""thumbnail_sizes":[[320,240]]"#)
    let error = #expect(throws: ServiceError.self) { try parameters.thumbnailSizes() }
    #expect(error?.message == "'thumbnail_sizes' must be a list of JSON objects")
  }

  @Test(
    "an integer is checked by type, sign and range, in this order",
    arguments: [
      ("1", 0), ("100", 0), ("1.0", 0), ("1e2", 0), ("null", 0), ("\"1\"", 400101),
      ("true", 400101), ("[1]", 400101), ("-1", 400106), ("0", 400113), ("101", 400113),
      ("1.5", 400111), ("1e300", 400113), ("1e999", 400113), ("123456789012345678901", 400113),
    ])
  func integers(_ value: String, _ code: Int) throws {
    let parameters = try parameters(#""n":\#(value)"#)
    let refusal = refusal { () throws(ServiceError) in _ = try parameters.integer("n", in: 1...100)
    }
    #expect(refusal == (code == 0 ? nil : Refusal(code, "n")))
  }

  @Test("a value of another type is refused with the code of the expected type")
  func types() throws {
    let parameters = try parameters(#""s":"x","n":1,"l":[],"o":{},"b":true"#)
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.text("n", limit: 9) }
        == Refusal(400100, "n"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.texts("s", limit: 9) }
        == Refusal(400102, "s"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.nested("l") }
        == Refusal(400103, "l"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.metadata("l") }
        == Refusal(400103, "l"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.boolean("n") }
        == Refusal(400104, "n"))
    #expect(
      refusal { () throws(ServiceError) in _ = try parameters.userIDs("o", limit: 9) }
        == Refusal(400102, "o"))
  }
}
