import HTTP
import Testing

@Suite("Header fields")
struct HTTPFieldsTests {
  @Test("are found ignoring case, and keep their order and spelling")
  func lookup() {
    let fields: HTTPFields = ["X-One": "1", "x-two": "2", "x-ONE": "3"]
    #expect(fields["x-one"] == "1")
    #expect(fields.values(of: "X-ONE") == ["1", "3"])
    #expect(fields["x-three"] == nil)
    #expect(fields.map(\.name) == ["X-One", "x-two", "x-ONE"])
  }

  @Test("setting a field replaces all fields of that name")
  func setting() {
    var fields: HTTPFields = ["A": "1", "a": "2", "B": "3"]
    fields["A"] = "4"
    #expect(fields.map(\.value) == ["3", "4"])
    fields["b"] = nil
    #expect(fields.map(\.value) == ["4"])
  }

  @Test("a list is split at commas outside quoted strings, over several fields")
  func lists() {
    let fields: HTTPFields = [
      "L": #"a, b="x,y" , "q\",z""#, "M": "other", "l": ",, c ,",
    ]
    #expect(fields.listValues(of: "L") == ["a", #"b="x,y""#, #""q\",z""#, "c"])
    #expect(fields.listContains("C", in: "l"))
    #expect(!fields.listContains("b", in: "l"))
  }

  @Test("a value cannot end its line")
  func injection() {
    var fields = HTTPFields()
    fields.append("Location", "/a\r\nSet-Cookie: b\0")
    #expect(fields["Location"] == "/a  Set-Cookie: b ")
  }
}
