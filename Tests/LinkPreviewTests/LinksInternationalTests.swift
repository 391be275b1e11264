import LinkPreview
import Testing

@Suite("Internationalized links")
struct LinksInternationalTests {
  @Test(
    "names in any script are converted to the ASCII form of IDNA",
    arguments: [
      ("https://münchen.de/straße", "https://xn--mnchen-3ya.de/stra%C3%9Fe"),
      ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
      ("한국.kr", "http://xn--3e0b707e.kr/"),
      ("правда.рф", "http://xn--80aafi6cg.xn--p1ai/"),
      ("Правда.РФ!", "http://xn--80aafi6cg.xn--p1ai/"),
      ("bücher.example.de/ä", "http://xn--bcher-kva.example.de/%C3%A4"),
      ("BÜCHER.DE", "http://xn--bcher-kva.de/"),
      ("mu\u{308}nchen.de", "http://xn--mnchen-3ya.de/"),
      ("한국.kr입니다", "http://xn--3e0b707e.kr/"),
      ("https://한국.kr입니다", "https://xn--3e0b707e.kr/"),
      ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}.kr", "http://xn--3e0b707e.kr/"),
      ("a.\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}", "http://a.xn--3e0b707e/"),
      ("https://faß.de", "https://xn--fa-hia.de/"),
      ("https://نامه\u{200c}ای.com/", "https://xn--mgba3gch31f060k.com/"),
      ("xn--mnchen-3ya.de", "http://xn--mnchen-3ya.de/"),
    ])
  func names(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "an emoji is part of a host if it forms a name, and otherwise of the sentence",
    arguments: [
      ("https://i❤.ws", "https://xn--i-7iq.ws/"),
      ("see https://i❤️.ws/x, please", "https://xn--i-7iq.ws/x"),
      ("https://😀.com/a", "https://xn--e28h.com/a"),
      ("https://a.com😀", "https://a.com/"),
      ("https://a.com😀.b.com", "https://a.com/"),
      ("https://localhost😀", "https://localhost/"),
      ("https://www.☃.net/x", "https://www.xn--n3h.net/x"),
      ("https://☃.net/", "https://xn--n3h.net/"),
      ("https://shop.app.☃.net/x", "https://shop.app.xn--n3h.net/x"),
      ("https://www.☃", "-"),
      ("https://www.☃/x", "-"),
      ("https://www.→.net/x", "-"),
      ("https://www.1️⃣.com/x", "https://www.xn--1-2sn.com/x"),
      ("https://www.①②.com/x", "-"),
      ("https://a①.com", "-"),
      ("https://a∞b.com/x", "-"),
      ("https://shop.app.→.net/x", "-"),
      ("https://a∞b.com/x c.com", "http://c.com/"),
      ("https://a.com→b.com", "https://a.com/"),
      ("https://localhost→b", "https://localhost/"),
      ("https://localhost...", "https://localhost/"),
    ])
  func emoji(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a dot inside a word is part of a host if it forms a name",
    arguments: [
      ("https://paral·lel.cat/", "https://xn--parallel-koa.cat/"),
      ("paral·lel.cat", "http://xn--parallel-koa.cat/"),
      ("Paral·lel i example.cat", "http://example.cat/"),
      ("https://レオナルド・ダ.com", "https://xn--kck1b0ad9nd3i.com/"),
      ("https://a.com・b.com", "https://a.com/"),
      ("https://a.com·next", "https://a.com/"),
      ("·sendbird.com", "http://sendbird.com/"),
    ])
  func middleDots(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a name with invisible characters is either a whole name or no link",
    arguments: [
      ("https://exa\u{ad}mple.com/x", "-"),
      ("https://exam\u{202e}ple.com", "-"),
      ("https://ex\u{200d}ample.com", "-"),
      ("https://exa\u{200b}mple.com b.com", "http://b.com/"),
      ("exa\u{ad}mple.com", "-"),
      ("exa\u{2060}mple.com", "-"),
      ("\u{feff}example.com", "http://example.com/"),
      ("មើល\u{200b}example.com", "http://example.com/"),
      ("\u{2068}https://localhost\u{2069}.", "https://localhost/"),
      ("\u{200f}https://a.com\u{200f}.", "https://a.com/"),
    ])
  func unseen(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "the dots of other scripts separate labels",
    arguments: [
      ("http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/"),
      ("http://例え．テスト/", "http://xn--r8jz45g.xn--zckzah/"),
      ("http://例え｡テスト/", "http://xn--r8jz45g.xn--zckzah/"),
      ("sendbird。com", "http://sendbird.com/"),
      ("sendbird．com/docs", "http://sendbird.com/docs"),
      ("sendbird｡com", "http://sendbird.com/"),
      ("ｓｅｎｄｂｉｒｄ．ｃｏｍ", "http://sendbird.com/"),
    ])
  func dots(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a word of a script without spaces may directly precede a name",
    arguments: [
      ("주소는sendbird.com입니다", "http://sendbird.com/"),
      ("地址是sendbird.com。谢谢", "http://sendbird.com/"),
      ("https://a.com입니다", "https://a.com/"),
      ("https://a.com。次の文", "https://a.com/"),
      ("https://a.com/x、次", "https://a.com/x"),
      ("（https://a.com/x）", "https://a.com/x"),
      ("(https://a.com/x)에서", "https://a.com/x"),
      ("http://localhost입니다", "http://localhost/"),
      ("http://127.0.0.1입니다", "http://127.0.0.1/"),
      ("http://localhost:3000입니다", "http://localhost:3000/"),
      ("sendbird.com:8080입니다", "http://sendbird.com:8080/"),
      ("คลิกsendbird.comนะ", "http://sendbird.com/"),
      ("сайтsendbird.com", "http://sendbird.com/"),
      ("❤️sendbird.com❤️", "http://sendbird.com/"),
      ("https://a.com/docs입니다", "https://a.com/docs"),
      ("https://a.com/docs를 보세요", "https://a.com/docs"),
      ("https://a.com/?q=1에서", "https://a.com/?q=1"),
      ("https://a.com/docsです。", "https://a.com/docs"),
      ("sendbird.com/docs는", "http://sendbird.com/docs"),
      ("https://a.com/C언어", "https://a.com/C%EC%96%B8%EC%96%B4"),
      ("https://a.com/우리는", "https://a.com/%EC%9A%B0%EB%A6%AC%EB%8A%94"),
      ("example.com和example.org都可以", "http://example.com/"),
      ("https://example.com和example.org都可以", "https://example.com/"),
      ("主页example.com和example.org", "http://example.com/"),
      ("README.md和example.org都可以", "http://example.org/"),
      ("www.example.comと例え.テスト", "http://www.example.com/"),
      ("sendbird.com。然后example.org", "http://sendbird.com/"),
      ("sendbird.com。example.org", "http://sendbird.com/"),
      ("한국.kr과example.org", "http://xn--3e0b707e.kr/"),
      ("example.comและexample.org", "http://example.com/"),
      ("example.comиexample.org", "http://example.com/"),
      ("www.tv東京.jp", "http://www.xn--tv-n92cn98g.jp/"),
      ("https://www.tv東京.jp/x", "https://www.xn--tv-n92cn98g.jp/x"),
      ("https://Example.Com입니다", "https://example.com/"),
      ("https://LOCALHOST입니다", "https://localhost/"),
    ])
  func glued(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "paths keep the dots, dashes, joiners and emoji of their scripts",
    arguments: [
      ("https://a.com/Paral·lel", "https://a.com/Paral%C2%B7lel"),
      (
        "https://a.com/ダ・ヴィンチ です",
        "https://a.com/%E3%83%80%E3%83%BB%E3%83%B4%E3%82%A3%E3%83%B3%E3%83%81"
      ),
      ("https://a.com/می\u{200c}خ", "https://a.com/%D9%85%DB%8C%E2%80%8C%D8%AE"),
      ("https://a.com/a–b", "https://a.com/a%E2%80%93b"),
      ("https://a.com/a—it is", "https://a.com/a"),
      (
        "https://ja.wikipedia.org/wiki/らき☆すた です",
        "https://ja.wikipedia.org/wiki/%E3%82%89%E3%81%8D%E2%98%86%E3%81%99%E3%81%9F"
      ),
      (
        "https://a.com/ジャン＝ジャック",
        "https://a.com/%E3%82%B8%E3%83%A3%E3%83%B3%EF%BC%9D%E3%82%B8%E3%83%A3%E3%83%83%E3%82%AF"
      ),
      ("https://a.com/馬克‧吐溫", "https://a.com/%E9%A6%AC%E5%85%8B%E2%80%A7%E5%90%90%E6%BA%AB"),
      ("https://a.com/צה״ל", "https://a.com/%D7%A6%D7%94%D7%B4%D7%9C"),
      (
        "https://a.com/བོད་ཡིག",
        "https://a.com/%E0%BD%96%E0%BD%BC%E0%BD%91%E0%BC%8B%E0%BD%A1%E0%BD%B2%E0%BD%82"
      ),
      ("https://a.com/L’Équipe", "https://a.com/L%E2%80%99%C3%89quipe"),
      ("https://a.com/x’ll do", "https://a.com/x"),
      ("https://a.com/x’ then", "https://a.com/x"),
      ("https://a.com/あ☆", "https://a.com/%E3%81%82"),
      ("https://a.com/あ☆ い", "https://a.com/%E3%81%82"),
      ("https://a.com/あ🔥い", "https://a.com/%E3%81%82"),
      ("https://a.com/あ、い", "https://a.com/%E3%81%82"),
      ("https://a.com/page🔥", "https://a.com/page"),
      (
        "https://zh.wikipedia.org/wiki/苹果（公司）",
        "https://zh.wikipedia.org/wiki/%E8%8B%B9%E6%9E%9C%EF%BC%88%E5%85%AC%E5%8F%B8%EF%BC%89"
      ),
      (
        "（https://zh.wikipedia.org/wiki/苹果（公司）#历史）。",
        "https://zh.wikipedia.org/wiki/%E8%8B%B9%E6%9E%9C%EF%BC%88%E5%85%AC%E5%8F%B8%EF%BC%89#%E5%8E%86%E5%8F%B2"
      ),
      ("（https://zh.wikipedia.org/苹果）", "https://zh.wikipedia.org/%E8%8B%B9%E6%9E%9C"),
      ("https://a.com/苹果（公 司）", "https://a.com/%E8%8B%B9%E6%9E%9C"),
      ("https://a.com/苹果（", "https://a.com/%E8%8B%B9%E6%9E%9C"),
      ("https://a.com/苹果（）", "https://a.com/%E8%8B%B9%E6%9E%9C"),
      ("https://a.com/docs（说明）", "https://a.com/docs"),
      ("https://a.com/🔥", "https://a.com/%F0%9F%94%A5"),
      ("https://a.com/x🔥🔥", "https://a.com/x"),
      ("https://a.com🔥", "https://a.com/"),
      ("https://a.com/x→https://b.com", "https://a.com/x"),
      ("sendbird.com👍🏽", "http://sendbird.com/"),
    ])
  func paths(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "sentences without a space after their full stop are not names",
    arguments: ["我喜欢。me too", "我来自台湾。中国很大", "그렇습니다.네", "好的。", "３．１４"])
  func sentences(text: String) {
    #expect(linkFound(in: text) == "-")
  }
}
