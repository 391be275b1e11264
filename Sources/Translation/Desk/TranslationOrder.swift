package import Basics

/// Names a call for translations.
package struct TranslationOrderID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names a question to the service.
package struct TranslationJobID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A text, with the language that it is wanted in as the engine names it.
package struct TranslationText: Hashable, Sendable {
  package let source: SourceText
  package let code: String

  package init(_ source: SourceText, into code: String) {
    self.source = source
    self.code = code
  }

  package init(_ text: String, into code: String) { self.init(SourceText(text), into: code) }

  package var text: String { source.text }
}

/// The translations of a text, by their languages as they were asked for.
package struct TranslationResult: Hashable, Sendable {
  /// The reason why some are missing.
  package enum Failure: String, Hashable, Sendable {
    case timedOut = "timed_out"
    case failed
  }

  package var texts: [String: String]
  /// `nil` when all came that can be.
  package private(set) var failure: Failure?

  package init(texts: [String: String] = [:], failure: Failure? = nil) {
    self.texts = texts
    self.failure = failure
  }

  /// Takes note of a failure; the first counts.
  package mutating func fail(_ failure: Failure) { self.failure = self.failure ?? failure }
}

/// A thing that the host of a ``TranslationDesk`` does for it.
package enum TranslationAction: Hashable, Sendable {
  /// Asks the service, and brings the outcome to ``TranslationDesk/end(_:_:at:jitter:into:)``.
  case start(TranslationJobID, TranslationText, deadline: Int64)
  /// An order has a part of its translations, and waits for others.
  case progress(TranslationOrderID, TranslationResult)
  case finish(TranslationOrderID, TranslationResult)
  /// Remembers an outcome.
  case keep(TranslationText, TranslationOutcome)
  case count(TranslationOutcome)
  /// The service has stopped to answer, or answers again.
  case report(CircuitBreaker.Change)
}
