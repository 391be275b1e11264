import Foundation
import HTTP
import ParleyProtocol
import TestSupport
import Streams
import TestPeers
import Testing

extension ServerTests {
  @Suite("stores files")
  struct FileTests {
    private let content = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 7)) }

    private func lobby(_ flags: [String] = []) throws -> (ServerProcess, WireClient) {
      let server = try ServerProcess(["--unfurl-mode", "off"] + flags)
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      return (server, jeff)
    }

    private func names(_ server: ServerProcess, _ folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(
        atPath: server.directory.path(of: "data/" + folder))
    }

    /// The path of a message's file.
    private func path(_ message: JSONNode) throws -> String {
      let url = try #require(message["file"]?["url"]?.string)
      return String(url[try #require(url.firstRange(of: "/files/")).lowerBound...])
    }

    private func get(
      _ server: ServerProcess, _ path: String, _ fields: [(String, String)] = []
    ) throws -> HTTPAnswer {
      try HTTPAnswer(to: path, fields: fields, over: StreamSocket(port: server.port))
    }

    private func sent(_ server: ServerProcess, _ form: FormUpload) throws -> JSONNode {
      let (status, body) = try server.upload(form)
      try #require(status == 200, "\(String(decoding: body.raw, as: UTF8.self))")
      return body
    }

    @Test("an uploaded file is announced to all participants, and downloaded unchanged")
    func uploads() throws {
      let (server, jeff) = try lobby()
      var form = FormUpload(content, name: "photo %22a%22 ü.png")
      form.fields += [
        ("message", "look"), ("custom_type", "c"), ("data", "d"), ("dedup_id", "one"),
        ("mentioned_user_ids", "jeff"), ("unknown", "ignored"), ("thumbnails", "[]"),
        ("sorted_metaarray", #"[{"key":"k","value":["v"]}]"#),
      ]
      let message = try sent(server, form)
      #expect(message["type"]?.string == "FILE")
      #expect(message["message"]?.string == "look")
      #expect(message["custom_type"]?.string == "c")
      #expect(message["dedup_id"]?.string == "one")
      #expect(message["mentioned_users"]?.elements.map { $0["user_id"]?.string } == ["jeff"])
      #expect(message["sorted_metaarray"]?.elements.map { $0["key"]?.string } == ["k"])
      let file = try #require(message["file"])
      #expect(file["name"]?.string == "photo \"a\" ü.png")
      #expect(file["type"]?.string == "image/png")
      #expect(file["size"]?.integer == 1_500_000)
      #expect(file["url"]?.string?.hasPrefix("http://files.localhost:8080/files/") == true)
      let event = try jeff.event("message.received")
      #expect(event.params?["message"]?["file"]?["url"]?.string == file["url"]?.string)
      let answer = try get(server, path(message))
      #expect(answer.status == 200)
      #expect(answer.body == content)
      #expect(answer.fields["Content-Type"] == "image/png")
      #expect(answer.fields["Content-Disposition"]?.hasPrefix("inline;") == true)
      #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
      #expect(answer.fields["Content-Security-Policy"] == "sandbox; default-src 'none'")
      #expect(answer.fields["Cache-Control"]?.contains("immutable") == true)
      let again = try sent(server, form)
      #expect(again["message_id"]?.integer == message["message_id"]?.integer)
      try Deadline.standard.wait(for: "the repeated file to go") {
        try names(server, "files").count == 1
      }
    }

    @Test("sends byte ranges of a file, and no body to a client that has it already")
    func ranges() throws {
      let (server, _) = try lobby()
      let path = try path(sent(server, FormUpload(content)))
      let part = try get(server, path, [("Range", "bytes=1000-1999")])
      #expect(part.status == 206)
      #expect(part.body == Array(content[1000..<2000]))
      #expect(part.fields["Content-Range"] == "bytes 1000-1999/1500000")
      let tail = try get(server, path, [("Range", "bytes=-10")])
      #expect(tail.body == Array(content.suffix(10)))
      let beyond = try get(server, path, [("Range", "bytes=1500000-")])
      #expect(beyond.status == 416)
      #expect(beyond.fields["Content-Range"] == "bytes */1500000")
      let tag = try #require(tail.fields["ETag"])
      let known = try get(server, path, [("If-None-Match", tag)])
      #expect(known.status == 304 && known.body.isEmpty)
    }

    @Test("files that might run in a browser are only offered for download")
    func types() throws {
      let (server, _) = try lobby()
      for (type, expected) in [
        ("text/html", "application/octet-stream"), ("image/svg+xml", "application/octet-stream"),
        ("text/plain; charset=utf-8", "text/plain"), ("", "application/octet-stream"),
      ] {
        let form = FormUpload(Array("<script>".utf8), name: "../a.html", type: type)
        let message = try sent(server, form)
        #expect(message["file"]?["name"]?.string == "a.html")
        let answer = try get(server, path(message))
        #expect(answer.fields["Content-Type"] == expected)
        #expect(
          answer.fields["Content-Disposition"]
            == "attachment; filename=\"a.html\"; filename*=UTF-8''a.html")
      }
    }

    @Test("a file is deleted with its message, and with its channel")
    func deletion() throws {
      let (server, _) = try lobby()
      let first = try sent(server, FormUpload(content))
      let second = try sent(server, FormUpload([]))
      #expect(try get(server, path(second)).body.isEmpty)
      let id = try #require(first["message_id"]?.integer)
      try server.call("DELETE", "open_channels/lobby/messages/\(id)")
      #expect(try get(server, path(first)).status == 404)
      #expect(try get(server, path(second)).status == 200)
      try server.call("DELETE", "open_channels/lobby")
      #expect(try get(server, path(second)).status == 404)
      try Deadline.standard.wait(for: "the files to go") { try names(server, "files") == [] }
    }

    @Test("files survive a restart; unfinished uploads of a killed server do not")
    func restarts() throws {
      let (server, _) = try lobby()
      let message = try sent(server, FormUpload(content))
      let form = FormUpload(content)
      let stream = try StreamSocket(port: server.port)
      let head = form.head(
        to: "/v3/open_channels/lobby/messages", token: try server.apiToken)
      try stream.write(head + form.body.prefix(700_000), .standard)
      try Deadline.standard.wait(for: "the upload to begin") {
        try names(server, "uploads").count == 1
      }
      try server.kill()
      #expect(try names(server, "uploads").count == 1)
      let next = try ServerProcess(["--unfurl-mode", "off"], in: server.directory)
      #expect(try names(next, "uploads") == [])
      #expect(try names(next, "files").count == 1)
      #expect(try get(next, path(message)).body == content)
    }

    @Test("an aborted upload leaves nothing")
    func breaksOff() throws {
      let (server, _) = try lobby()
      let form = FormUpload(content)
      let stream = try StreamSocket(port: server.port)
      let head = form.head(
        to: "/v3/open_channels/lobby/messages", token: try server.apiToken)
      try stream.write(head + form.body.prefix(700_000), .standard)
      try Deadline.standard.wait(for: "the upload to begin") {
        try names(server, "uploads").count == 1
      }
      stream.close()
      try Deadline.standard.wait(for: "the upload to go") {
        try names(server, "uploads") == [] && names(server, "files") == []
      }
    }

    @Test("invalid uploads are refused early, with a reason, and leave nothing")
    func refusals() throws {
      let (server, _) = try lobby(["--limits-file-bytes", "100000"])
      func refusal(_ form: FormUpload, token: String? = nil) throws -> (UInt16, Int64?) {
        let (status, body) = try server.upload(form, token: token)
        return (status, body["code"]?.integer)
      }
      let small = Array("abc".utf8)
      #expect(try refusal(FormUpload(small), token: "wrong") == (401, 400_401))
      #expect(try refusal(FormUpload(Array(content.prefix(100_001)))) == (413, 400_111))
      #expect(try refusal(FormUpload(small, fields: [("message_type", "FILE")])) == (400, 400_105))
      #expect(
        try refusal(FormUpload(small, fields: [("message_type", "FILE"), ("user_id", "nobody")]))
          == (400, 400_201))
      #expect(
        try refusal(
          FormUpload(small, fields: [("message_type", "ADMM"), ("message", "hi")]))
          == (400, 400_111))
      // By its length alone, before any of it has come.
      let stream = try StreamSocket(port: server.port)
      let head = FormUpload([]).head(
        to: "/v3/open_channels/lobby/messages", token: try server.apiToken, length: 1_200_000)
      try stream.write(head, .standard)
      let early = try HTTPAnswer(reading: stream)
      #expect(early.status == 413)
      #expect(try JSONDocument(early.body).root["code"]?.integer == 400_111)
      #expect(try sent(server, FormUpload(Array(content.prefix(100_000))))["message_id"] != nil)
      try Deadline.standard.wait(for: "nothing but what was sent") {
        try names(server, "uploads") == [] && names(server, "files").count == 1
      }
    }

    @Test("a stalled upload ends with 408")
    func stalls() throws {
      let (server, _) = try lobby(["--limits-upload-timeout-ms", "300"])
      let form = FormUpload(content)
      let stream = try StreamSocket(port: server.port)
      let head = form.head(
        to: "/v3/open_channels/lobby/messages", token: try server.apiToken)
      try stream.write(head + form.body.prefix(10_000), .standard)
      let answer = try HTTPAnswer(reading: stream)
      #expect(answer.status == 408)
      try Deadline.standard.wait(for: "the upload to go") { try names(server, "uploads") == [] }
    }

    @Test("files.public_url sets the base of file URLs; without it TLS determines the scheme")
    func addresses() throws {
      let certificates = try TemporaryDirectory()
      let (certificate, key) = (certificates.path(of: "c.pem"), certificates.path(of: "k.pem"))
      try SelfSignedCertificate.write(certificate: certificate, key: key)
      let tls = [
        "--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-private-key", key,
      ]
      let (server, _) = try lobby(tls)
      let context = try TLSClientContext(extraAuthoritiesPath: certificate)
      let port = try #require(server.tlsPort)
      let (status, message) = try server.upload(
        FormUpload(content), over: TLSStream(port: port, context))
      #expect(status == 200)
      #expect(message["file"]?["url"]?.string?.hasPrefix("https://files.localhost:8080/") == true)
      let answer = try HTTPAnswer(to: path(message), over: TLSStream(port: port, context))
      #expect(answer.body == content)
      let (other, _) = try lobby(["--files-public-url", "https://cdn.example/chat/"])
      let url = try sent(other, FormUpload([]))["file"]?["url"]?.string
      #expect(url?.hasPrefix("https://cdn.example/chat/files/") == true)
    }

    @Test("a file's URL is composed when its message is read")
    func composedAddresses() throws {
      let (server, _) = try lobby()
      let message = try sent(server, FormUpload(content))
      let id = try #require(message["message_id"]?.integer)
      let path = try path(message)
      // An address of the application's own is never touched, however it looks.
      let foreign = "http://elsewhere.example\(path)"
      let other = try server.call(
        "POST", "open_channels/lobby/messages",
        #"{"message_type":"FILE","user_id":"jeff","url":"\#(foreign)"}"#)
      let foreignID = try #require(other["message_id"]?.integer)
      try server.stop()
      func urls(_ flags: [String]) throws -> [String?] {
        let next = try ServerProcess(["--unfurl-mode", "off"] + flags, in: server.directory)
        let urls = try [id, foreignID].map {
          try next.call("GET", "open_channels/lobby/messages/\($0)")["file"]?["url"]?.string
        }
        try next.stop()
        return urls
      }
      let set = try urls(["--files-public-url", "https://cdn.example/chat/"])
      #expect(set == ["https://cdn.example/chat\(path)", foreign])
      #expect(try urls([]) == ["http://files.localhost:8080\(path)", foreign])
    }

    @Test("a download that the client does not read uses no memory")
    func slowReaders() throws {
      let (server, _) = try lobby()
      let large = [UInt8](repeating: 7, count: 20_000_000)
      let path = try path(sent(server, FormUpload(large)))
      let before = try server.residentBytes
      let streams = try (0..<20).map { _ in
        try StreamSocket(port: server.port, receiveBuffer: 4_096)
      }
      for stream in streams {
        try stream.write(
          Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8),
          .standard)
        _ = try stream.read(.standard)
      }
      #expect(try server.residentBytes - before < 20_000_000)
      #expect(try HTTPAnswer(to: path, over: StreamSocket(port: server.port)).body == large)
    }

    @Test("only GET and HEAD serve files, and other paths serve none")
    func paths() throws {
      let (server, _) = try lobby()
      let path = try path(sent(server, FormUpload(Array("abc".utf8))))
      let head = try HTTPAnswer("POST", to: path, over: StreamSocket(port: server.port))
      #expect(head.status == 405)
      for path in ["/files/", "/files/../lock", "/files/%2e%2e/lock", "/files/a/b/c"] {
        #expect(try get(server, path).status == 404)
      }
    }
  }
}
