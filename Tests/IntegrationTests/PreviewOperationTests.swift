import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("explains previews to operators")
  struct PreviewOperationTests {
    private static let page = """
      <html><head><meta property="og:title" content="A page"></head></html>
      """
    private static let flags = [
      "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535",
    ]

    private let previews = "/v3/parley/previews"

    private func encode(_ url: String) -> String {
      url.replacing(":", with: "%3A").replacing("/", with: "%2F")
    }

    @Test("requires the token of the Platform API for every call")
    func token() throws {
      let server = try ServerProcess()
      for path in [previews, "\(previews)/explain?url=x", "/v3", "/v3/nothing"] {
        let (status, body) = try server.platform(path, token: "wrong")
        #expect(status == 401)
        #expect(body["code"]?.integer == 400_401)
        #expect(body["error"]?.bool == true)
      }
      #expect(try server.platform("/v3/nothing").status == 404)
      #expect(try server.platform(previews, method: "POST").body["code"]?.integer == 400_930)
    }

    @Test("reports what was found, where, and how long it took")
    func explain() throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let server = try ServerProcess(Self.flags)
      let link = pages.url("/a")
      let (status, body) = try server.platform("\(previews)/explain?url=\(encode(link))")
      #expect(status == 200)
      #expect(body["url"]?.string == link)
      #expect(body["og_tag"]?["og:title"]?.string == "A page")
      #expect(body["problem"]?.string == "")
      #expect(body["cached"] == nil)
      let origins = try #require(body["trace"]?["origins"])
      #expect(
        origins.elements.contains {
          $0["member"]?.string == "og:title"
            && $0["source"]?.string == "meta property=og:title"
        })
      let request = try #require(body["trace"]?["requests"]?.elements.first { _ in true })
      #expect(request["status"]?.integer == 200)
      #expect(request["address"]?.string == "127.0.0.1")
      #expect(request["total_us"]?.integer ?? 0 > 0)
      // What was found is remembered, and a message carries it at once.
      let again = try server.platform("\(previews)/explain?url=\(encode(link))").body
      #expect(again["cached"]?["og_tag"]?["og:title"]?.string == "A page")
    }

    @Test(
      "reports exactly why there is no preview",
      arguments: [
        ("http://10.1.2.3/", "10.1.2.3 is not a public address"),
        ("http://denied.example/x", "denied.example is denied"),
        ("http://127.0.0.1:1/", "refused"),
      ])
    func problems(url: String, reason: String) throws {
      let server = try ServerProcess(Self.flags + ["--unfurl-deny-domains", "denied.example"])
      let (status, body) = try server.platform("\(previews)/explain?url=\(encode(url))")
      #expect(status == 200)
      #expect(body["og_tag"] == nil)
      let problem = try #require(body["problem"]?.string)
      #expect(problem.lowercased().contains(reason), "\(problem)")
    }

    @Test("refuses invalid URLs, and all calls if previews are disabled")
    func refusals() throws {
      let server = try ServerProcess()
      #expect(
        try server.platform("\(previews)/explain?url=ftp%3A%2F%2Fa.b").body["code"]?.integer
          == 400_111)
      #expect(try server.platform("\(previews)/explain").body["code"]?.integer == 400_105)
      #expect(try server.platform("\(previews)?limit=101").body["code"]?.integer == 400_113)
      #expect(try server.platform("\(previews)?url=%").body["code"]?.integer == 400_151)
      #expect(try server.platform(previews, method: "DELETE").body["code"]?.integer == 400_105)
      let off = try ServerProcess(["--unfurl-mode", "off"])
      #expect(try off.platform(previews).body["code"]?.integer == 400_920)
    }

    @Test("lists cached previews page by page, and removes them")
    func listAndPurge() throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let server = try ServerProcess(Self.flags)
      let links = (0..<5).map { pages.url("/\($0)") }
      for link in links { _ = try server.platform("\(previews)/explain?url=\(encode(link))") }
      var listed: [String] = []
      var token = ""
      repeat {
        let body = try server.platform("\(previews)?limit=2&token=\(encode(token))").body
        listed += body["previews"]?.elements.compactMap { $0["url"]?.string } ?? []
        token = body["next"]?.string ?? ""
      } while !token.isEmpty
      #expect(listed == links)
      let one = try server.platform(
        "\(previews)?url=\(encode(links[0]))", method: "DELETE"
      ).body
      #expect(one["purged"]?.integer == 1)
      let rest = try server.platform(
        "\(previews)?all=true", method: "DELETE"
      ).body
      #expect(rest["purged"]?.integer == 4)
      let empty = try server.platform(previews).body
      #expect(empty["previews"]?.elements.contains { _ in true } == false)
    }
  }
}
