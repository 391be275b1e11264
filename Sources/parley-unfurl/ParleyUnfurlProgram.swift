internal import ArgumentParser

/// The preview service as a program.
package enum ParleyUnfurlProgram {
  /// Runs with the arguments of the process, and ends it.
  package static func run() { ParleyUnfurl.main() }
}
