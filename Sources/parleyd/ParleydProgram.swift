internal import ArgumentParser

/// The server as a program.
package enum ParleydProgram {
  /// Runs with the arguments of the process, and ends it.
  package static func run() { Parleyd.main() }
}
