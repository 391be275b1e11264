import Testing

@testable import parley

@Suite("Options before the command")
struct LeadingOptionsTests {
  @Test(
    "are moved after the command and its arguments",
    arguments: [
      ("--server X status", "status --server X"), ("--server=X status", "status --server=X"),
      ("--api-token-file F --json user list --all", "user list --all --api-token-file F --json"),
      ("--user ada watch lobby", "watch lobby --user ada"),
      ("--server X message send lobby -- --hi", "message send lobby --server X -- --hi"),
    ])
  func moves(given: String, expected: String) {
    #expect(LeadingOptions.moved(words(given)) == words(expected))
  }

  @Test(
    "are left in place when there is no command, or they are other options",
    arguments: [
      "", "status --server X", "--version", "--server X", "--server", "--server X --help",
      "--unknown status", "--help status",
    ])
  func leaves(given: String) {
    #expect(LeadingOptions.moved(words(given)) == words(given))
  }

  private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
