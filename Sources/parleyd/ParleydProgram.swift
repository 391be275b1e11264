internal import ArgumentParser

/// The server as a program.
package enum ParleydProgram {
  /// Runs with the arguments of the process, then exits.
  package static func run() { Parleyd.main() }
}
