import Glibc
import ParleyProtocol
import Push

/// Encrypts Web Push messages and prints how many a second one core does, beside the multiplications of
/// the curve alone, which limit it, and the payloads of messages that are far too long.
///
///     swift run -c release web-push-rate [messages]
@main
struct WebPushRate {
  private static let bodyByteCount = 500

  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 20_000
    guard count > 0 else {
      print("usage: web-push-rate [messages]")
      exit(EX_USAGE)
    }
    var generator = SystemRandomNumberGenerator()
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in generator.next() } }
    guard let browser = P256Secret(bytes(P256Secret.byteCount)) else { return }
    let receiver = try WebPushReceiver(
      WebPushSubscription(
        endpoint: "", publicKey: browser.publicKey.bytes,
        secret: bytes(WebPushSubscription.secretByteCount)))
    let body = bytes(bodyByteCount)
    let secrets = (0..<count).map { _ in bytes(P256Secret.byteCount) }
    let salt = bytes(WebPushEncryption.saltByteCount)
    var produced = 0

    let encryption = rate(of: count) { index in
      guard let key = P256Secret(secrets[index]) else { return }
      produced += WebPushEncryption.encrypt(body, to: receiver, key: key, salt: salt).count
    }
    let agreement = rate(of: count) { _ in
      produced += browser.agreed(with: receiver.publicKey).count
    }
    let message = longMessage
    let payloads = rate(of: min(count, 2_000)) { _ in
      produced += WebPayload.message(message).count
    }
    print("messages encrypted        \(Int(encryption)) 1/s")
    print("secrets agreed (ECDH)     \(Int(agreement)) 1/s")
    print("long payloads cut         \(Int(payloads)) 1/s")
    // Keeps the work from being left out.
    if produced == 0 { print("# nothing was produced") }
  }

  private static var longMessage: PushNotification {
    let message = Message(
      id: 1, channelURL: "team", user: User(id: "jeff"),
      text: String(repeating: "Grüße, 漢字 ", count: 450), createdAt: 1, ordinal: 1)
    return PushNotification(
      of: message, channelName: "Team", badge: 1, preferences: PushPreferences(),
      texts: PushTexts())
  }

  /// Repetitions a second of processor time.
  private static func rate(of count: Int, _ work: (Int) -> Void) -> Double {
    let start = processorTime()
    for index in 0..<count { work(index) }
    return Double(count) / max(processorTime() - start, 1e-9)
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
