import Testing

@testable import HTTP

@Suite("An extension offer")
struct ExtensionOfferTests {
  @Test("has a name and parameters, quoted or not")
  func parameters() throws {
    let offer = try #require(ExtensionOffer(#" foo ; a ;b=1; c = "x\y" "#))
    #expect(offer.name == "foo")
    #expect(
      offer.parameters == [
        ExtensionParameter(name: "a", value: nil), ExtensionParameter(name: "b", value: "1"),
        ExtensionParameter(name: "c", value: "xy"),
      ])
  }

  @Test(
    "is refused when malformed",
    arguments: [
      "", ";", "foo;", "foo bar", "foo; a=", "foo; =1", #"foo; a="x"#, #"foo; a="""#,
      #"foo; a="x y""#, #"foo; a="x"y"#, #"foo; a="\"#, "foo=1", "fo/o",
    ])
  func malformed(text: String) {
    #expect(ExtensionOffer(text) == nil)
  }
}
