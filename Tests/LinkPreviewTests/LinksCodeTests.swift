import LinkPreview
import Testing

@Suite("Code in messages")
struct LinksCodeTests {
  @Test(
    "code contains no links",
    arguments: [
      "`https://a.com`", "``a`b https://x.com``", "``` https://a.com ```", "x `sendbird.com` y",
      "```\nhttps://a.com\n```", "~~~\nhttps://a.com\n~~~", "```swift\nhttps://a.com\n```\nx",
      "```\nhttps://a.com", "~~~\nhttps://a.com", "   ```\nhttps://a.com\n   ```",
      "````\n```\nhttps://a.com\n````", "~~~ `x`\nhttps://a.com", "```\nhttps://a.com\n~~~",
      "`a\nhttps://a.com`", "look ```\nhttps://a.com\n\nb.com\n```", "```https://a.com```",
      "`\\` `https://a.com`", "> ```\n> https://a.com\n> ```", "```\n    ```\nhttps://a.com",
      "`<https://a.com>`", "`[x](https://a.com)`", "```\r\nhttps://a.com\r\n```\r\n",
      "```\n``` x\nhttps://a.com",
    ])
  func code(text: String) {
    #expect(linkFound(in: text) == "-")
  }

  @Test(
    "unclosed code contains links",
    arguments: [
      ("` https://a.com", "https://a.com/"),
      ("`` https://a.com `", "https://a.com/"),
      ("`https://a.com``", "https://a.com/"),
      ("\\`https://a.com`", "https://a.com/"),
      ("\\`https://a.com\\`", "https://a.com/"),
      ("it`s\n\nhttps://a.com `", "https://a.com/"),
      ("it`s\n```\nx `y`\n```\nhttps://a.com", "https://a.com/"),
      ("x ``` https://a.com", "https://a.com/"),
      ("    https://a.com", "https://a.com/"),
      ("\thttps://a.com", "https://a.com/"),
      ("<code>https://a.com</code>", "https://a.com/"),
      ("<pre>https://a.com</pre>", "https://a.com/"),
      ("~~https://a.com~~", "https://a.com/"),
      ("~~\nhttps://a.com", "https://a.com/"),
      ("``` a`b\nhttps://a.com", "https://a.com/"),
    ])
  func text(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "text after code contains links",
    arguments: [
      ("`a.com` https://b.com", "https://b.com/"),
      ("``a`b`` https://b.com", "https://b.com/"),
      ("```\nhttps://a.com\n```\nhttps://b.com", "https://b.com/"),
      ("```\nhttps://a.com\n`````  \nhttps://b.com", "https://b.com/"),
      ("~~~\na\n~~~\nhttps://b.com", "https://b.com/"),
      ("```\r\na.com\r\n```\r\nhttps://b.com", "https://b.com/"),
      ("```\na\n```\n```\nb\n```\nhttps://b.com", "https://b.com/"),
      ("look ```\na.com\n``` https://b.com", "https://b.com/"),
      ("`\\`https://b.com", "https://b.com/"),
      ("> ```\n> a.com\n> ```\nhttps://b.com", "https://b.com/"),
      ("- ```\n  a.com\n  ```\nhttps://b.com", "https://b.com/"),
    ])
  func behind(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }
}
