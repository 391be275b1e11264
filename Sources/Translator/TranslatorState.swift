import Synchronization
import Translation

/// The part of a translator shared by all threads.
final class TranslatorState: Sendable {
  /// A cached outcome.
  enum Entry: Sendable, Hashable {
    case text(String)
    case same

    init?(_ outcome: TranslationOutcome) {
      switch outcome {
      case .text(let text): self = .text(text)
      case .same: self = .same
      case .refused, .overloaded, .failed, .timedOut, .notAsked: return nil
      }
    }

    var text: String? {
      switch self {
      case .text(let text): text
      case .same: nil
      }
    }
  }

  private struct State: Sendable {
    var languages: TranslationLanguages?
    var figures = TranslatorFigures()
    var isSlow = false
    var memory: TranslationMemory
  }

  private let state: Mutex<State>

  init(memoryBytes: Int) {
    state = Mutex(State(memory: TranslationMemory(byteLimit: memoryBytes)))
  }

  var languages: TranslationLanguages? {
    get { state.withLock { $0.languages } }
    set { state.withLock { $0.languages = newValue } }
  }

  var isSlow: Bool { state.withLock { $0.isSlow } }

  var figures: TranslatorFigures {
    state.withLock { state in
      var figures = state.figures
      figures.memoryBytes = state.memory.byteCount
      return figures
    }
  }

  /// Returns the engine's name of a language; of any language while those of the service are unknown.
  func code(ofTag tag: String, _ engine: TranslationEngine) -> String? {
    guard let languages else { return engine.code(ofTag: tag) }
    return languages.code(ofTag: tag)
  }

  func recall(_ text: TranslationText, at now: Int64) -> Entry? {
    state.withLock { $0.memory.recall(text, at: now) }
  }

  func remember(_ text: TranslationText, _ entry: Entry, until end: Int64) {
    state.withLock { $0.memory.remember(text, entry, until: end) }
  }

  func update(_ body: (inout TranslatorFigures) -> Void) {
    state.withLock { body(&$0.figures) }
  }

  func setSlow(_ isSlow: Bool) { state.withLock { $0.isSlow = isSlow } }

  func countCached() { update { $0.outcomes[.cached, default: 0] += 1 } }

  func count(_ outcome: TranslationOutcome) {
    let kind: TranslatorFigures.Outcome =
      switch outcome {
      case .text: .made
      case .same: .same
      case .refused: .refused
      case .overloaded, .failed: .failed
      case .timedOut: .timedOut
      case .notAsked(.unsupported): .unsupported
      case .notAsked(.circuit): .circuit
      case .notAsked(.queue): .queue
      case .notAsked(.budget): .budget
      case .notAsked(.share): .share
      case .notAsked(.rate): .rate
      }
    update { $0.outcomes[kind, default: 0] += 1 }
  }
}

/// Translations in memory, bounded in bytes.
///
/// Two generations: entries used in the newer one, or found in the older one, are kept when the
/// older one is dropped.
struct TranslationMemory: Sendable {
  private struct Kept: Sendable {
    let entry: TranslatorState.Entry
    /// In Unix milliseconds.
    let end: Int64
  }

  /// The maximum bytes of one generation.
  private let limit: Int
  private var newer: [TranslationText: Kept] = [:]
  private var older: [TranslationText: Kept] = [:]
  private var newerBytes = 0
  private var olderBytes = 0

  init(byteLimit: Int) { limit = byteLimit / 2 }

  var byteCount: Int { newerBytes + olderBytes }

  mutating func recall(_ text: TranslationText, at now: Int64) -> TranslatorState.Entry? {
    if let kept = newer[text] { return kept.end > now ? kept.entry : nil }
    guard let kept = older[text], kept.end > now else { return nil }
    remember(text, kept.entry, until: kept.end)
    return kept.entry
  }

  mutating func remember(
    _ text: TranslationText, _ entry: TranslatorState.Entry, until end: Int64
  ) {
    let size = 256 + text.text.utf8.count + (entry.text?.utf8.count ?? 0)
    guard size <= limit else { return }
    if newerBytes + size > limit {
      (older, olderBytes) = (newer, newerBytes)
      (newer, newerBytes) = ([:], 0)
    }
    if newer.updateValue(Kept(entry: entry, end: end), forKey: text) == nil { newerBytes += size }
  }
}
