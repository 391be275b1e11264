package import Basics

/// Identifies a call for translations.
package struct TranslationOrderID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Identifies a query to the service.
package struct TranslationJobID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A text with its target language, as named by the engine.
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

/// The translations of a text, by the requested languages.
package struct TranslationResult: Hashable, Sendable {
  /// The reason why some translations are missing.
  package enum Failure: String, Hashable, Sendable {
    case timedOut = "timed_out"
    case failed
  }

  package var texts: [String: String]
  /// `nil` if all possible translations arrived.
  package private(set) var failure: Failure?

  package init(texts: [String: String] = [:], failure: Failure? = nil) {
    self.texts = texts
    self.failure = failure
  }

  /// Records a failure; the first one is kept.
  package mutating func fail(_ failure: Failure) { self.failure = self.failure ?? failure }
}

/// An action that the host of a ``TranslationDesk`` performs.
package enum TranslationAction: Hashable, Sendable {
  /// Queries the service, and passes the outcome to ``TranslationDesk/end(_:_:at:jitter:into:)``.
  case start(TranslationJobID, TranslationText, deadline: Int64)
  /// An order has some of its translations, and waits for others.
  case progress(TranslationOrderID, TranslationResult)
  case finish(TranslationOrderID, TranslationResult)
  /// Caches an outcome.
  case keep(TranslationText, TranslationOutcome)
  case count(TranslationOutcome)
  /// The service went down or came back up.
  case report(CircuitBreaker.Change)
}
