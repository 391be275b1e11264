package import Curl
package import Logging
import Reactor
import Synchronization
package import Translation

/// Translates texts by a service, on a thread of its own; what came is remembered.
///
/// On any thread. No text comes into the log.
package final class Translator: Sendable {
  /// The knowledge about a text in some languages, without asking anybody.
  package struct Knowledge: Sendable, Hashable {
    /// The translations that are remembered, by their languages as they were asked for.
    package var texts: [String: String] = [:]
    /// The languages to ask for.
    package var missing: [String] = []
    /// The languages that the engine lacks.
    package var unsupported: [String] = []
  }

  package typealias Progress = @Sendable (TranslationResult) -> Void

  private let configuration: TranslatorConfiguration
  private let thread: CurlThread<TranslatorLoop.Request>
  private let shared: TranslatorState
  private let lastID = Atomic<UInt64>(0)

  /// Starts the thread, which learns the service's languages.
  ///
  /// - Throws: ``CurlError`` when the thread cannot be started.
  package init(
    _ configuration: TranslatorConfiguration, logger: Logger,
    observe: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) throws(CurlError) {
    self.configuration = configuration
    let shared = TranslatorState(memoryBytes: configuration.memoryBytes)
    self.shared = shared
    thread = try CurlThread(
      // Messages come first.
      name: "translator", priority: .background, maximumConnections: configuration.concurrency
    ) { TranslatorLoop($0, configuration, shared, logger: logger, observe: observe) }
  }

  package var engine: TranslationEngine { configuration.engine }

  /// The tags of the languages that the service has; none while they are unknown.
  package var languages: [String] { shared.languages?.tags ?? [] }

  /// Whether the service has taken too long several times in a row: nothing should wait for it.
  package var isSlow: Bool { shared.isSlow }

  package var figures: TranslatorFigures { shared.figures }

  /// The knowledge about a text.
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
      // What has no words is the same in each language.
      guard hasWords else { continue }
      switch shared.recall(TranslationText(source, into: code), at: configuration.now()) {
      case .text(let translation)?: knowledge.texts[tag] = translation
      case .same?: break
      case nil: knowledge.missing.append(tag)
      }
    }
    return knowledge
  }

  /// Translates a text, unless it is remembered.
  ///
  /// - Parameters:
  ///   - user: The user who asks, since users take turns; `nil` for the Platform API.
  ///   - progress: Takes what has come, while other languages are awaited; on any thread.
  ///   - completion: Takes the result, once, on any thread.
  /// - Returns: A way to end it: the completion takes what has come.
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

  /// Ends all orders and waits for the thread's end; afterwards each ends at once.
  package func shutdown() { thread.stop() }
}

/// A call for translations that can be called off.
package struct TranslationTask: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  package func cancel() { end() }
}

/// The settings of a ``Translator``.
package struct TranslatorConfiguration: Sendable {
  package let engine: TranslationEngine
  package let service: TranslationEndpoint
  /// The file in which translations are remembered, and the use of the day's characters; `nil` for none.
  package var path: String?
  /// Whether translations are remembered in the file.
  package var cachesOnDisk = true
  /// Milliseconds for one question.
  package var timeout: Int64 = 5_000
  /// Milliseconds after which a service is slow.
  package var patience: Int64 = 1_800
  package var concurrency = 16
  /// The time for which a translation is remembered, in seconds.
  package var lifetime: Int64 = 2_592_000
  package var diskBytes = 67_108_864
  package var memoryBytes = 8_388_608
  package var charactersPerDay: Int64 = 0
  package var charactersPerUserMinute: Int64 = 0
  package var userAgent = "Parley"
  /// Unix milliseconds.
  package var now: @Sendable () -> Int64 = { SystemClock.unixMilliseconds }

  package init(engine: TranslationEngine, service: TranslationEndpoint) {
    self.engine = engine
    self.service = service
  }

  /// Whether a tag names the language of all texts.
  func isSource(_ tag: String) -> Bool {
    guard let source = service.source else { return false }
    return engine.code(ofTag: tag).lowercased() == engine.code(ofTag: source).lowercased()
  }
}

/// Counts of a ``Translator``.
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
