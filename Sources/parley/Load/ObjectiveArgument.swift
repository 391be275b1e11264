internal import ArgumentParser
internal import LoadGenerator

/// An objective as the command line has it: `p99<50ms`.
struct ObjectiveArgument: ExpressibleByArgument {
  let text: String

  init?(argument: String) {
    text = argument
  }

  /// - Throws: What is wrong with it, in words.
  var objective: Objective {
    get throws {
      do {
        return try Objective(text)
      } catch {
        throw ValidationError("--require: \(error)")
      }
    }
  }
}
