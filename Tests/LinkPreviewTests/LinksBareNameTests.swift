import LinkPreview
import Testing

@Suite("Bare names")
struct LinksBareNameTests {
  @Test(
    "a name under a top-level domain is a link for http",
    arguments: [
      ("sendbird.com", "http://sendbird.com/"),
      ("sendbird.com/docs", "http://sendbird.com/docs"),
      ("www.example.co.uk:8080/x?y#z", "http://www.example.co.uk:8080/x?y#z"),
      ("hello.world", "http://hello.world/"),
      ("SENDBIRD.COM/X", "http://sendbird.com/X"),
      ("sendbird.com?x=1", "http://sendbird.com/?x=1"),
      ("sendbird.com:443/", "http://sendbird.com:443/"),
      ("sendbird.com:great", "http://sendbird.com/"),
      ("sendbird.com's", "http://sendbird.com/"),
      ("sendbird.com!", "http://sendbird.com/"),
      ("sendbird.com?", "http://sendbird.com/"),
      ("sendbird.com:", "http://sendbird.com/"),
      ("sendbird.com...and more", "http://sendbird.com/"),
      ("sendbird.com.Then", "http://sendbird.com/"),
      ("wait...sendbird.com", "http://sendbird.com/"),
      ("_sendbird.com_", "http://sendbird.com/"),
      ("*sendbird.com*", "http://sendbird.com/"),
      ("~sendbird.com~", "http://sendbird.com/"),
      ("\\sendbird.com", "http://sendbird.com/"),
      ("(sendbird.com)", "http://sendbird.com/"),
      ("sendbird.com(센드버드)", "http://sendbird.com/"),
      ("site: sendbird.com", "http://sendbird.com/"),
      ("&lt;sendbird.com&gt;", "http://sendbird.com/"),
      ("foo.com,bar.com", "http://foo.com/"),
      ("https sendbird.com", "http://sendbird.com/"),
      ("docs.rs/serde", "http://docs.rs/serde"),
      ("www.docs.rs", "http://www.docs.rs/"),
      ("163.com", "http://163.com/"),
      ("t.me/x", "http://t.me/x"),
      ("foo.github.io", "http://foo.github.io/"),
      ("cookie.monster", "http://cookie.monster/"),
      ("helpful.bot", "http://helpful.bot/"),
      ("event.target/x", "http://event.target/x"),
      ("www.os.name", "http://www.os.name/"),
      ("Booking.Com/Deals", "http://booking.com/Deals"),
      ("Www.Example.Com", "http://www.example.com/"),
      ("Www.Example.Com/Deals", "http://www.example.com/Deals"),
      ("www.sendbird.com.Now", "http://www.sendbird.com/"),
      ("sendbird.com.Is/x", "http://sendbird.com/"),
      ("Main.java and sendbird.com", "http://sendbird.com/"),
    ])
  func names(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "file names, numbers, abbreviations and ends of sentences are not links",
    arguments: [
      "file.txt", "e.g.", "i.e.", "e.g.this", "1.2.3", "v1.2.3", "3.14", "12:30.45", "...",
      "README.md", "main.rs", "setup.py", "main.rs:12:5", "main.rs,", "bundle.js.map", "10.am",
      "id_rsa.pub", "foo.cc::bar", "co.uk", "com", ".com", "done.Next", "it.Is", "done.Next one.",
      "1.2.3.4", "192.168.0.1:80", "localhost", "localhost:3000", "localhost.", "a.b", "U.S.A.",
      "sendbird", "sendbird.", "sendbird.com_x", "obj.is()", "self.name=x", "my_foo.com",
      "$foo.com", "#foo.com", "%foo.com", "/foo.com", "./foo.com", "a/foo.com", "C:\\foo.com",
      "\\\\server.com\\share", "foo.com\\bar", "-foo.com", "foo-.com", "a..com", "foo.invalidtld",
      "xn--.com", "foo.local", "foo.test", "//foo.com", "Main.java", "UserService.java:42",
      "application.properties", "nginx.pid", "event.target", "Date.now", "os.name", "requests.post",
      "user.email", "promise.fail,", "new Date.now!", "asyncio.run.", "config.inc", "acme.google",
      "Booking.Com", "Booking.Com:80", "Booking.Com?x",
    ])
  func noNames(text: String) {
    #expect(linkFound(in: text) == "-")
  }

  @Test(
    "an e-mail address is not a link",
    arguments: [
      "jeff@sendbird.com", "mailto:jeff@sendbird.com", "a.b+c@x.co.uk", "first.last@a.com",
      "first.com@x.org", "me.com+tag@y.com", "<jeff@x.com>", "<mailto:j@x.com|j@x.com>",
      "(jeff@sendbird.com)", "제프@sendbird.com", "jeff@sendbird.com.", "jeff@mail.sendbird.com/x",
      "[jeff@sendbird.com](mailto:jeff@sendbird.com)", "sip:jeff@sendbird.com",
    ])
  func mail(text: String) {
    #expect(linkFound(in: text) == "-")
  }
}
