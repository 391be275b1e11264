package import Curl
package import Logging
import Reactor
import Synchronization
package import Translation

/// Translates texts with a service, on its own thread, and caches the results.
///
/// Usable from any thread. Texts are never logged.
package final class Translator: Sendable {
  /// The knowledge about a text in some languages, available without a query.
  package struct Knowledge: Sendable, Hashable {
    /// The cached translations, by the requested languages.
    package var texts: [String: String] = [:]
    /// The languages that need a query.
    package var missing: [String] = []
    /// The languages that the engine does not support.
    package var unsupported: [String] = []
  }

  package typealias Progress = @Sendable (TranslationResult) -> Void

  private let configuration: TranslatorConfiguration
  private let thread: CurlThread<TranslatorLoop.Request>
  private let shared: TranslatorState
  private let lastID = Atomic<UInt64>(0)

  /// Starts the thread, which fetches the service's languages.
  ///
  /// - Throws: ``CurlError`` if the thread cannot be started.
  package init(
    _ configuration: TranslatorConfiguration, logger: Logger,
    observe: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) throws(CurlError) {
    self.configuration = configuration
    let shared = TranslatorState(memoryBytes: configuration.memoryBytes)
    self.shared = shared
    thread = try CurlThread(
      // Messages have priority.
      name: "translator", priority: .background, maximumConnections: configuration.concurrency
    ) { TranslatorLoop($0, configuration, shared, logger: logger, observe: observe) }
  }

  package var engine: TranslationEngine { configuration.engine }

  /// The tags of the service's languages; empty while they are unknown.
  package var languages: [String] { shared.languages?.tags ?? [] }

  /// Whether the service was slow several times in a row, so that nothing should wait for it.
  package var isSlow: Bool { shared.isSlow }

  package var figures: TranslatorFigures { shared.figures }

  /// Returns what is known about a text.
  package func lookUp(_ text: String, in tags: [String]) -> Knowledge {
    lookUp(SourceText(text), in: tags)
  }

  private func lookUp(_ source: SourceText, in tags: [String]) -> Knowledge {
    var knowledge = Knowledge()
    lazy var hasWords = source.hasWords
    for tag in tags {
      guard !configuration.isSource(tag) else { continue }
      guard let code = shared.code(ofTag: tag, configuration.engine) else {
        knowledge.unsupported.append(tag)
        continue
      }
      // A text without words is the same in each language.
      guard hasWords else { continue }
      switch shared.recall(TranslationText(source, into: code), at: configuration.now()) {
      case .text(let translation)?: knowledge.texts[tag] = translation
      case .same?: break
      case nil: knowledge.missing.append(tag)
      }
    }
    return knowledge
  }

  /// Translates a text, unless it is cached.
  ///
  /// - Parameters:
  ///   - user: The requesting user, for round-robin scheduling; `nil` for the Platform API.
  ///   - progress: Receives partial results while other languages are pending; on any thread.
  ///   - completion: Receives the result, once, on any thread.
  /// - Returns: A handle for cancelling: the completion then receives the partial result.
  @discardableResult
  package func translate(
    _ text: String, into tags: [String], for user: String?,
    progress: @escaping Progress = { _ in },
    completion: @escaping Progress
  ) -> TranslationTask {
    let source = SourceText(text)
    let knowledge = lookUp(source, in: tags)
    var known = TranslationResult(texts: knowledge.texts)
    if !knowledge.unsupported.isEmpty { shared.count(.notAsked(.unsupported)) }
    guard !knowledge.missing.isEmpty else {
      shared.countCached()
      completion(known)
      return TranslationTask {}
    }
    var wanted: [String: [String]] = [:]
    for tag in knowledge.missing {
      guard let code = shared.code(ofTag: tag, configuration.engine) else { continue }
      wanted[code, default: []].append(tag)
    }
    let id = TranslationOrderID(
      rawValue: lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    let order = TranslatorLoop.Order(
      id: id, texts: wanted.map { (TranslationText(source, into: $0), $1) },
      user: user, known: known,
      progress: progress, completion: completion)
    guard thread.post(.translate(order)) else {
      known.fail(.failed)
      completion(known)
      return TranslationTask {}
    }
    return TranslationTask { [weak thread] in _ = thread?.post(.cancel(id)) }
  }

  /// Ends all orders and waits for the thread to end; later orders end immediately.
  package func shutdown() { thread.stop() }
}

/// A call for translations that can be cancelled.
package struct TranslationTask: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  package func cancel() { end() }
}

/// The settings of a ``Translator``.
package struct TranslatorConfiguration: Sendable {
  package let engine: TranslationEngine
  package let service: TranslationEndpoint
  /// The file for cached translations and the usage of the daily budget; `nil` for none.
  package var path: String?
  /// Whether translations are cached in the file.
  package var cachesOnDisk = true
  /// The time limit of a query, in milliseconds.
  package var timeout: Int64 = 5_000
  /// The duration in milliseconds after which a service counts as slow.
  package var patience: Int64 = 1_800
  package var concurrency = 16
  /// The time for which a translation is cached, in seconds.
  package var lifetime: Int64 = 2_592_000
  package var diskBytes = 67_108_864
  package var memoryBytes = 8_388_608
  package var charactersPerDay: Int64 = 0
  package var charactersPerUserMinute: Int64 = 0
  package var userAgent = "Parley"
  /// The current time in Unix milliseconds.
  package var now: @Sendable () -> Int64 = { SystemClock.unixMilliseconds }

  package init(engine: TranslationEngine, service: TranslationEndpoint) {
    self.engine = engine
    self.service = service
  }

  /// Returns whether a tag names the language of all texts.
  func isSource(_ tag: String) -> Bool {
    guard let source = service.source else { return false }
    return engine.code(ofTag: tag).lowercased() == engine.code(ofTag: source).lowercased()
  }
}

/// The counters of a ``Translator``.
package struct TranslatorFigures: Sendable, Hashable {
  package enum Outcome: String, Sendable, CaseIterable {
    case made, cached, same, refused, failed, unsupported, circuit, queue, budget, share, rate
    case timedOut = "timed_out"
  }

  package var outcomes: [Outcome: Int] = [:]
  package var characters = 0
  package var queued = 0
  package var running = 0
  package var isUp = true
  package var rows = 0
  package var fileBytes = 0
  package var memoryBytes = 0
}
