import LinkPreview
import Testing

@Suite("Markdown links")
struct LinksMarkdownTests {
  @Test(
    "the destination of a link is the URL that a click opens",
    arguments: [
      ("[text](https://a.com/x_(y))", "https://a.com/x_(y)"),
      ("[text](https://a.com \"title\")", "https://a.com/"),
      ("[text](https://a.com 'title')", "https://a.com/"),
      ("[text](https://a.com (title))", "https://a.com/"),
      ("[text]( <https://a.com/x> )", "https://a.com/x"),
      ("[text](<https://a.com/x(y>)", "https://a.com/x(y"),
      ("![alt](https://img.com/a.png)", "https://img.com/a.png"),
      ("[https://shown.com](https://target.com)", "https://target.com/"),
      ("[shown.com](https://target.com)", "https://target.com/"),
      ("[<https://shown.com>](https://target.com)", "https://target.com/"),
      ("[see shown.com now](https://target.com/x) a.com", "https://target.com/x"),
      ("[a [b.com] c](https://target.com)", "https://target.com/"),
      ("[![badge](https://img.com/a.svg)](https://target.com)", "https://target.com/"),
      ("[`code.com`](https://target.com)", "https://target.com/"),
      ("[text](https://a.com/x\\(y)", "https://a.com/x(y"),
      ("[text](sendbird.com/x)", "http://sendbird.com/x"),
      ("[text](https://a.com/x.)", "https://a.com/x."),
      ("[text](\nhttps://a.com\n)", "https://a.com/"),
      ("[](https://a.com)", "https://a.com/"),
      ("[[x](https://a.com)", "https://a.com/"),
      ("[text](HTTPS://A.com)", "https://a.com/"),
    ])
  func destinations(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a link to anything but a web page is no link, and neither is its text",
    arguments: [
      "[text](/relative)", "[text](<https://a.com/a b>)", "[text](#part)", "[text](README.md)",
      "[https://shown.com](/relative)", "[shown.com](mailto:x@y.com)", "[text](javascript:a.com)",
      "[text]()", "[text](//a.com/x)", "[text](ftp://a.com)", "[text](https://a.com\\x)",
      "[text](https://)", "[text](https:///a.com)",
    ])
  func elsewhere(text: String) {
    #expect(linkFound(in: text) == "-")
  }

  @Test(
    "brackets that form no link are text",
    arguments: [
      ("[not a link] (https://a.com)", "https://a.com/"),
      ("\\[text](https://a.com)", "https://a.com/"),
      ("[text\\](https://a.com)", "https://a.com/"),
      ("[shown.com] (https://a.com)", "http://shown.com/"),
      ("[https://a.com label]", "https://a.com/"),
      ("[https://a.com", "https://a.com/"),
      ("[https://a.com](https://b.com", "https://a.com/"),
      ("[text](https://a.com", "https://a.com/"),
      ("[text](https://a.com/a b)", "https://a.com/a"),
      ("[a.com\n\n](https://b.com)", "http://a.com/"),
      ("](https://a.com)", "https://a.com/"),
      ("[a.com and [x](https://b.com)](https://c.com)", "http://a.com/"),
      ("[text][1] https://a.com", "https://a.com/"),
      ("[text](/relative) https://a.com", "https://a.com/"),
      ("[shown.com](/relative) https://a.com", "https://a.com/"),
      ("- [ ] https://a.com", "https://a.com/"),
      ("[x] sendbird.com", "http://sendbird.com/"),
    ])
  func text(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a reference definition contains its destination",
    arguments: [
      ("[id]: https://a.com", "https://a.com/"),
      ("[id]: <https://a.com/x>", "https://a.com/x"),
      ("[sendbird.com]: https://a.com", "https://a.com/"),
      ("[^1]: https://a.com", "https://a.com/"),
      ("see [sendbird.com]: https://a.com", "http://sendbird.com/"),
      ("[sendbird.com]: great", "http://sendbird.com/"),
    ])
  func definitions(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }
}

@Suite("Links in angle brackets")
struct LinksAngleTests {
  @Test(
    "everything between angle brackets is the URL, up to a bar",
    arguments: [
      ("<https://a.com/x(y>", "https://a.com/x(y"),
      ("<https://a.com/x.>", "https://a.com/x."),
      ("<https://a.com|label>", "https://a.com/"),
      ("<https://a.com/x|my label.com>", "https://a.com/x"),
      ("<sendbird.com>", "http://sendbird.com/"),
      ("<sendbird.com/docs!|label>", "http://sendbird.com/docs!"),
      ("<sendbird.com:8080>", "http://sendbird.com:8080/"),
      ("<https://a.com", "https://a.com/"),
      ("<https://a.com/x y>", "https://a.com/x"),
      ("<<https://a.com>>", "https://a.com/"),
      ("<a href=\"https://a.com/x\">", "https://a.com/x"),
      ("<b>sendbird.com</b>", "http://sendbird.com/"),
      ("1<2 and https://a.com", "https://a.com/"),
      ("<@U123|x.com> https://a.com", "https://a.com/"),
    ])
  func found(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "addresses and mentions in angle brackets are not links",
    arguments: [
      "<jeff@x.com>", "<mailto:jeff@x.com|x.com>", "<@U123|jeff.com>", "<#C1|general.com>",
      "<!subteam^S1|@x.com>", "<ftp://a.com>", "<tel:1|call.com>", "<main.rs>", "<a@b.com|c.com>",
      "<https://>", "<https://a.com\\b>",
    ])
  func none(text: String) {
    #expect(linkFound(in: text) == "-")
  }
}
