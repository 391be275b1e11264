internal import ArgumentParser
internal import Basics
internal import Configuration
internal import Crypto
internal import KeySets
internal import ParleyProtocol
internal import Reactor

extension TokenCommand {
  /// Shows which claims of a JSON Web Token a gateway accepts.
  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Show which parts of a user's JSON Web Token a gateway accepts.",
      discussion: """
        The token is checked here, without calling a gateway and with the clock of this machine. The \
        key is that of --public-key, of --secret-file, or of the gateway's settings: --config, \
        PARLEY_CONFIG, PARLEY_AUTH_JWT_PUBLIC_KEY and PARLEY_AUTH_JWT_SECRET. Without a key the \
        signature is not checked. The exit status is 1 if the token is refused.

        If the settings have providers (auth.jwks) and the token is by one of them (iss), the \
        provider's keys are fetched from its URL, and only they are tried.

        Tokens issued by the Platform API are not JSON Web Tokens; only the gateway knows them.

        EXAMPLES:
          parley token explain --config /etc/parley/parley.yaml --for ada < token.txt
          parley token explain eyJhbGciOi... --public-key jwt.pem
        """)

    @Argument(
      help: ArgumentHelp(
        "The token; - reads standard input. (default: -)", valueName: "token"))
    var token = "-"

    @Option(
      help: ArgumentHelp("Read the token from this file.", valueName: "file"),
      completion: .file())
    var file: String?

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("The user who opens a session with it.", valueName: "user id"))
    var user: String?

    @OptionGroup var keys: TokenKeyOptions
    @OptionGroup var output: OutputOptions

    private static let uncheckedHint =
      "Warning: the signature was not checked, because there is no key: give --public-key or "
      + "--secret-file, or set PARLEY_AUTH_JWT_SECRET as for the gateway."

    func validate() throws {
      guard file == nil || token == "-" else {
        throw ValidationError("give the token as an argument or by --file, not both")
      }
    }

    func run() throws {
      let text = try text()
      let verifiers = try keys.verifiers()
      let (providers, failure) = try keys.providers(for: text)
      let explanation = TokenExplanation(
        of: text, user: user, verifiers: verifiers, providers: providers,
        now: SystemClock.unixMilliseconds / 1000)
      try output.show(TokenText.answer(explanation), as: TokenText.lines)
      if let failure {
        StandardError.write("Warning: the signature was not checked: \(failure)")
      } else if verifiers.isEmpty, providers.issuers.isEmpty {
        StandardError.write(Self.uncheckedHint)
      }
      if let problem = explanation.problems.first {
        throw CommandFailure.refused(
          "the token is refused: \(TokenText.reason(problem))", code: 0)
      }
    }

    private func text() throws -> String {
      let given: String
      if let file {
        given = try TokenKeyOptions.contents(of: file, atMost: 2 * TokenVerifier.sizeLimit)
      } else {
        given = try StandardInput.text(token)
      }
      let words = given.split(whereSeparator: \.isWhitespace)
      guard words.count == 1, let word = words.first else {
        throw ValidationError("one token is expected; there are \(words.count) words")
      }
      return String(word)
    }
  }
}

/// Options for the keys with which a gateway verifies tokens.
struct TokenKeyOptions: ParsableArguments {
  private static let secretSizeLimit = 65_536

  @Option(
    help: ArgumentHelp("The PEM file of the public key.", valueName: "file"), completion: .file())
  var publicKey: String?

  @Option(
    help: ArgumentHelp(
      "The file with the secret of HS256; a line break at its end does not count.",
      valueName: "file"), completion: .file())
  var secretFile: String?

  @OptionGroup var settings: SettingsOptions

  /// Reads the keys; none if no option or variable names any.
  func verifiers() throws -> [TokenVerifier] {
    var (paths, secrets) = (publicKey.map { [$0] } ?? [], [String]())
    if let secretFile {
      let text = try Self.contents(of: secretFile, atMost: Self.secretSizeLimit)
      secrets.append(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    if paths.isEmpty, secrets.isEmpty {
      let settings = try settings.settings().auth
      paths += settings.jwtPublicKey.map { [$0] } ?? []
      secrets += settings.jwtSecret.map { [$0.value] } ?? []
    }
    do throws(TokenKeyError) {
      var verifiers: [TokenVerifier] = []
      for secret in secrets { verifiers.append(try TokenVerifier(secret: secret)) }
      for path in paths { verifiers.append(try TokenVerifier(publicKeyPath: path)) }
      return verifiers
    } catch {
      throw ValidationError("the key cannot be used: \(error)")
    }
  }

  /// Reads the providers of the settings, and fetches the keys of the provider of a token.
  ///
  /// - Returns: The providers, and the reason why the keys could not be fetched.
  func providers(
    for token: String
  ) throws -> (providers: TokenExplanation.Providers, failure: String?) {
    var providers = TokenExplanation.Providers()
    guard publicKey == nil, secretFile == nil else { return (providers, nil) }
    let sources = try settings.settings().auth.providers
    providers.issuers = sources.map(\.issuer)
    guard let issuer = providers.issuer(of: token),
      let source = sources.first(where: { $0.issuer == issuer })
    else { return (providers, nil) }
    switch KeySetRequest.perform(source, userAgent: "parley/\(Release.number)") {
    case .success(let fetched): providers.keys = fetched.keys
    case .failure(let failure):
      return (providers, "the keys of \(issuer.name) cannot be fetched: \(failure)")
    }
    return (providers, nil)
  }

  /// Reads a small text file.
  static func contents(of path: String, atMost limit: Int) throws -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path, atMost: limit + 1)
    } catch {
      throw ValidationError("\(DisplayText.shortened(path)) cannot be read: \(error.reason)")
    }
    guard bytes.count <= limit else {
      throw ValidationError("\(DisplayText.shortened(path)) is longer than \(limit) bytes")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Formats the checks of a token.
enum TokenText {
  /// Returns the checks as JSON.
  static func answer(_ explanation: TokenExplanation) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("is_accepted", explanation.problems.isEmpty)
        $0.member(
          "checks", array: { for check in explanation.checks { encode(check, into: &$0) } })
      }
    }
  }

  private static func encode(_ check: TokenExplanation.Check, into writer: inout JSONWriter) {
    writer.object {
      $0.member("part", check.part.rawValue)
      switch check.value {
      case .missing: break
      case .text(let text): $0.member("value", text)
      case .time(let time): $0.member("value", time)
      }
      switch check.outcome {
      case .right: $0.member("result", "right")
      case .unchecked: $0.member("result", "unchecked")
      case .wrong(let error):
        $0.member("result", "wrong")
        $0.member("reason", reason(error))
      }
    }
  }

  /// Returns the checks as lines.
  static func lines(_ answer: JSONNode) -> [String] {
    var table = TextTable([.text("part"), .text("value"), .text("result")])
    for check in answer.list("checks") {
      let part = check.text("part")
      let reason = check.text("reason")
      table.add([
        part, value(check, of: part), reason.isEmpty ? check.text("result") : "WRONG: " + reason,
      ])
    }
    return table.lines(whenEmpty: "nothing was checked")
  }

  private static func value(_ check: JSONNode, of part: String) -> String {
    let isAbsentByRight = ["exp", "nbf", "kid"].contains(part) && check["value"] == nil
    if isAbsentByRight { return "none" }
    return check["value"]?.string ?? check.timeInSeconds("value")
  }

  /// Returns the reason for a rejection with its times as dates.
  static func reason(_ error: TokenError) -> String {
    switch error {
    case .expired(let time): "the token expired at \(date(time))"
    case .notYetValid(let time): "the token is not valid before \(date(time))"
    case .wrongSubject: "the token is another user's: sub is not the given user"
    case .badSignature: "the signature is not by this key, or the token was changed"
    case .wrongAudience:
      "the token is for another audience: aud does not contain the configured one"
    case .missingExpiry: "exp is missing, which tokens of this issuer need"
    case .tooLong, .malformed, .unacceptableAlgorithm, .criticalHeader, .unknownIssuer, .unknownKey,
      .unfitKey, .ambiguousKey:
      "\(error)"
    }
  }

  private static func date(_ seconds: Int64) -> String {
    let (time, isOverflow) = seconds.multipliedReportingOverflow(by: 1000)
    return isOverflow ? "\(seconds)" : UnixTime.text(time)
  }
}
