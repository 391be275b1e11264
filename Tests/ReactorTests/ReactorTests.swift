// ReactorTests
