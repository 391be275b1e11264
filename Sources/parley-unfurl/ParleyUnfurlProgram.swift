internal import ArgumentParser

/// The preview service as a program.
package enum ParleyUnfurlProgram {
  /// Runs with the arguments of the process, then exits.
  package static func run() { ParleyUnfurl.main() }
}
