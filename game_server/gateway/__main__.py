from game_server.gateway.main import main

main()
