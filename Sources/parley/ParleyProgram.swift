internal import Dispatch
internal import Glibc

/// The command line as a program.
package enum ParleyProgram {
  /// Runs with the arguments of the process, then exits.
  package static func run() -> Never {
    Task {
      await Parley.main()
      exit(EXIT_SUCCESS)
    }
    dispatchMain()
  }
}
