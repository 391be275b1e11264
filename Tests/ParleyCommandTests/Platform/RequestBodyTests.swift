import Testing

@testable import parley

@Suite("The body of an API call")
struct RequestBodyTests {
  @Test("has the members that have a value, in order")
  func members() {
    var body = RequestBody()
    #expect(body.isEmpty)
    body.set("a", "x\"y")
    body.set("b", nil as String?)
    body.set("c", 5)
    body.set("d", false)
    body.set("e", [] as [String])
    body.set("f", ["1", "2"])
    body.set("g", ["k": "v", "j": "w"])
    #expect(
      String(decoding: body.bytes, as: UTF8.self)
        == #"{"a":"x\"y","c":5,"d":false,"f":["1","2"],"g":{"j":"w","k":"v"}}"#)
  }
}
